import { environmentOf } from '@inventory/contracts/environment';
import type { ProjectId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { createPendingReplies } from '@inventory/messaging/pending-replies';
import { type Clock, systemClock } from '@inventory/runtime/clock';
import { openBackends } from '@inventory/service-host/open-backends';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { newAccountId, newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { openNamespace, type TestNamespace } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { type Db, MongoClient } from 'mongodb';
import { trackPrices } from '../../src/accounts/prices.ts';
import { openBroadcasts } from '../../src/commands/open-broadcasts.ts';
import { createRequestReplyClient, replyTypes } from '../../src/commands/request-reply-client.ts';
import type { GatewayConfig } from '../../src/config.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { gatewayIndexes } from '../../src/gateway-indexes.ts';
import { openClients } from '../../src/open-clients.ts';
import { openPublicApi } from '../../src/open-public-api.ts';
import type { EventStreamClient } from '../../src/streams/event-stream-client.ts';
import { openTenancy } from '../../src/tenancy/open-tenancy.ts';
import type { Principal } from '../../src/tenancy/principal.domain.ts';
import { defaultServiceAccountId, type Project } from '../../src/tenancy/tenancy.domain.ts';
import { type ApiCall, type ApiResponse, closeCalls } from './api-call.ts';
import { callDocumented } from './call-documented.ts';
import { type FakeCollector, startFakeCollector } from './fake-collector.ts';
import { type FakeLedger, startFakeLedger } from './fake-ledger.ts';
import { type FakeRevisionStore, startFakeRevisionStore } from './fake-revision-store.ts';
import { type FakeWebhooks, startFakeWebhooks } from './fake-webhooks.ts';
import {
  farMs,
  patientCaptures,
  patientDeadlines,
  patientLimits,
  patientLivePages,
  type TestLimits,
} from './patience.ts';
import { createReplyCutter } from './reply-cutter.ts';
import { testOperator } from './test-operators.ts';

/** Everything around a gateway: real Kafka and MongoDB, fake neighbours, Credentials in memory. */
export interface GatewayWorld {
  /** Of its gateways and its neighbours: what one of them stores another takes up by its time. */
  readonly clock: Clock;
  readonly namespace: TestNamespace;
  readonly bus: MessageBus;
  readonly collector: FakeCollector;
  readonly ledger: FakeLedger;
  readonly revisions: FakeRevisionStore;
  readonly webhooks: FakeWebhooks;
  /** A secret and what it stands for. */
  issue(overrides?: Partial<Principal>): { key: string; principal: Principal };
  findPrincipal(secret: string): Promise<Principal | null>;
  /** As it is stored: null once it was revoked, also where that is not known to a gateway yet. */
  readPrincipal(digest: string): Promise<Principal | null>;
  isUnseen(secret: string): boolean;
  digestOf(secret: string): string;
  /** The events of the Projects; empty unless a test puts some in. */
  readonly eventLog: EventStreamClient;
  findProject(id: ProjectId): Promise<Pick<Project, 'accountId' | 'name'> | null>;
  /** What the gateways of this world have stored. */
  readonly records: Db;
  /** Neighbours keep their promises again. */
  reset(): void;
  /** Called before anything of the world is closed. */
  defer(stop: () => Promise<void>): void;
  /** Ends its gateways too. */
  close(): Promise<void>;
}

export interface TestGateway {
  readonly url: string;
  call(call: ApiCall): Promise<ApiResponse>;
  /** Ends every wait for a reply, as its timeout would; what that timeout was. */
  cutReplies(): number[];
  stop(): Promise<void>;
}

export async function openWorld(clock: Clock = systemClock): Promise<GatewayWorld> {
  const namespace = await openNamespace();
  const bus = await openTestBus(namespace);
  const [collector, ledger, revisions, webhooks] = await Promise.all([
    startFakeCollector(bus),
    startFakeLedger(bus),
    startFakeRevisionStore(clock),
    startFakeWebhooks(),
  ]);
  const principals = new Map<string, Principal>();
  const mongo = new MongoClient(namespace.mongodbUri);
  const stops: (() => Promise<void>)[] = [];
  return {
    clock,
    namespace,
    bus,
    collector,
    ledger,
    revisions,
    webhooks,
    issue(overrides = {}) {
      const accountId = overrides.accountId ?? newAccountId();
      const principal: Principal = {
        environment: environmentOf(accountId),
        accountId,
        serviceAccountId: defaultServiceAccountId(accountId),
        projectId: newProjectId(),
        credentialId: newCredentialId(),
        permissions: ['*'],
        expiresAtMs: null,
        networkPolicies: [],
        eventsEnabled: false,
        captureEnabled: true,
        requestsPerMinute: 100_000,
        trafficLimitPerMinute: null,
        hasServiceAccounts: false,
        ...overrides,
      };
      const key = `key-of-${principal.credentialId}`;
      principals.set(key, principal);
      return { key, principal };
    },
    findPrincipal: async (secret) => principals.get(secret) ?? null,
    readPrincipal: async (digest) => principals.get(digest) ?? null,
    isUnseen: (secret) => !principals.has(secret),
    digestOf: (secret) => secret,
    eventLog: emptyLog,
    async findProject(id) {
      const found = [...principals.values()].find(({ projectId }) => projectId === id);
      return found ? { accountId: found.accountId, name: 'Bots' } : null;
    },
    reset() {
      for (const fake of [collector, ledger, revisions, webhooks]) {
        fake.reset();
        fake.http.isDown = false;
      }
    },
    records: mongo.db(namespace.database('gateway')),
    defer: (stop) => void stops.push(stop),
    async close() {
      closeCalls();
      await Promise.all(stops.map((stop) => stop()));
      await mongo.close();
      await bus.close();
      await Promise.all([collector, ledger, revisions, webhooks].map((fake) => fake.close()));
    },
  };
}

export interface TestGatewayOptions {
  readonly limits?: Partial<TestLimits>;
  /** Read by each step: a test moves them as it goes. */
  readonly deadlines?: Deadlines;
  readonly livePages?: Partial<GatewayConfig['livePages']>;
  readonly captures?: Partial<GatewayConfig['captures']>;
  readonly exports?: Partial<GatewayConfig['exports']>;
  readonly undelivered?: GatewayConfig['undelivered'];
  readonly trustedProxies?: readonly string[];
  readonly canTryReference?: boolean;
  readonly servesReference?: boolean;
  readonly console?: Partial<GatewayConfig['console']>;
  readonly unknownKeysPerMinute?: number;
  readonly openRequestsPerMinute?: number;
  readonly revisionStoreTimeoutMs?: number;
  readonly mongodbUri?: string;
  readonly sandboxRefreshCollectorUrl?: string;
  readonly sandboxRefreshesPerMinute?: number;
  readonly role?: GatewayConfig['role'];
  readonly eventsOrigin?: string;
  /** The share of each thing that is closed when it stops. */
  readonly stopDeadlineMs?: number;
  /** Instead of the world's. */
  readonly clock?: Clock;
  /** What is wrong with the bus that commands are sent by. */
  readonly wrongBus?: (bus: MessageBus) => Partial<MessageBus>;
}

export function testGatewayConfig(
  world: GatewayWorld,
  overrides: TestGatewayOptions = {},
): GatewayConfig {
  const common = testServiceConfig(world.namespace, 'gateway');
  const { decisionTimeoutMs, drainMs, ...pageReads } = { ...patientLimits, ...overrides.limits };
  return {
    ...common,
    mongodb: { ...common.mongodb, uri: overrides.mongodbUri ?? common.mongodb.uri },
    stopDeadlineMs: overrides.stopDeadlineMs ?? farMs,
    publicHttp: { host: '127.0.0.1', port: 0 },
    operatorHttp: { host: '127.0.0.1', port: 0 },
    operatorApi: { operators: [testOperator], attemptsPerMinute: 100_000 },
    services: {
      refreshCollectorUrl: world.collector.http.url,
      sandboxRefreshCollectorUrl: overrides.sandboxRefreshCollectorUrl,
      billingLedgerUrl: world.ledger.http.url,
      revisionStoreUrl: world.revisions.http.url,
      eventStreamUrl: world.webhooks.http.url,
      collectorTimeoutMs: farMs,
      revisionStoreTimeoutMs: overrides.revisionStoreTimeoutMs ?? farMs,
    },
    cursorKeys: [
      'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
      'HxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo',
    ],
    trustedProxies: [...(overrides.trustedProxies ?? [])],
    reference: {
      isServed: overrides.servesReference ?? true,
      canTry: overrides.canTryReference ?? false,
    },
    console: { isServed: true, picturesUrl: null, ...overrides.console },
    connectionsMax: 10_000,
    connectionsPerPeerMax: 10_000,
    unknownKeysPerMinute: overrides.unknownKeysPerMinute ?? 100_000,
    customerRequestsPerMinute: 1_200,
    openRequestsPerMinute: overrides.openRequestsPerMinute ?? 100_000,
    decisionTimeoutMs,
    sandboxRefreshesPerMinute: overrides.sandboxRefreshesPerMinute ?? 1_000,
    drainMs,
    pageReads,
    role: overrides.role ?? 'both',
    eventsOrigin: overrides.eventsOrigin ?? null,
    streams: {
      perProjectMax: 4,
      totalMax: 100,
      heartbeatMs: 15_000,
      lifeMaxMs: 900_000,
      slowAfterMs: farMs,
      authorityEveryMs: 30_000,
      drainMs: 100,
    },
    livePages: { ...patientLivePages, ...overrides.livePages },
    v1DeprecatedAtMs: Date.UTC(2026, 0, 1),
    captures: { ...patientCaptures, ...overrides.captures },
    undelivered: overrides.undelivered ?? { perKeyMax: 2 ** 30, totalMax: 2 ** 30 },
    deliveryBytesPerSecondMin: 65_536,
    exports: { limits: { perKeyMax: 2, totalMax: 3 }, timeMaxMs: farMs, ...overrides.exports },
    watches: { perProjectMax: 3 },
    deadlines: overrides.deadlines ?? patientDeadlines,
  };
}

export async function startTestGateway(
  world: GatewayWorld,
  overrides: TestGatewayOptions = {},
): Promise<TestGateway> {
  const started = await startTestService({
    config: testGatewayConfig(world, overrides),
    clock: overrides.clock ?? world.clock,
    start: (context) => startPublicApi(context, world, overrides),
  });
  world.defer(started.stop);
  return { ...started, call: (call) => callDocumented(started.url, call) };
}

async function startPublicApi(
  context: ServiceContext<GatewayConfig>,
  world: GatewayWorld,
  { wrongBus = () => ({}) }: TestGatewayOptions,
) {
  const { clock, lifetime, logger } = context;
  const { db, bus } = await openBackends(context, 'gateway', gatewayIndexes);
  const replies = createReplyCutter(createPendingReplies());
  const broadcasts = await openBroadcasts(bus, lifetime, replies);
  broadcasts.on(replyTypes, replies.onMessage);
  lifetime.defer('replies', () => replies.stop());
  const requestBus = { publish: bus.publish, health: () => bus.health(), ...wrongBus(bus) };
  const clients = openClients(context);
  const prices = trackPrices({ ledger: clients.ledger, clock, lifetime, logger });
  const isThere = !world.ledger.http.isDown;
  if (isThere) await waitFor('the price list is read', () => prices.currentVersion() !== null);
  const tenancy = openTenancy(context, { db, bus, broadcasts });
  const { url } = await openPublicApi(context, {
    clients: { ...clients, eventLog: world.eventLog },
    tenancy: {
      ...tenancy,
      principals: { ...tenancy.principals, ...principalsOf(world) },
      findProject: world.findProject as typeof tenancy.findProject,
      requireProject: world.findProject as typeof tenancy.requireProject,
      findBySecretDigest: async () => null,
    },
    db,
    commands: createRequestReplyClient({ bus: only(requestBus), replies }),
    bus,
    broadcasts,
    prices,
    eligibilityOf: async () => 'active',
  });
  // Pending commands are left to other replicas; their distant timeout is not waited for.
  lifetime.defer('pending commands', () => replies.abandonPending());
  return { url, cutReplies: replies.cut };
}

const principalsOf = ({ findPrincipal, readPrincipal, isUnseen, digestOf }: GatewayWorld) => ({
  findPrincipal,
  readPrincipal,
  isUnseen,
  digestOf,
});

const emptyLog: EventStreamClient = {
  readHeads: async () => ({ logEpoch: 1, heads: [] }),
  readAppendedHeads: async () => ({
    logEpoch: 1,
    heads: [],
    nextSinceMs: 0,
    hasMore: false,
  }),
  readLogBatch: async () => ({
    logEpoch: 1,
    headPosition: 0,
    earliestPosition: 1,
    earliestAtMs: null,
    items: [],
  }),
};
