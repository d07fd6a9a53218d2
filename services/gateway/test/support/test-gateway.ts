import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { createInternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import { createReplyBox, type ReplyBox } from '@inventory/messaging/reply-box';
import { openBackends } from '@inventory/service-host/open-backends';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { newAccountId, newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { openNamespace, type TestNamespace } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { type Db, MongoClient } from 'mongodb';
import { createCollectorClient } from '../../src/clients/collector-client.ts';
import type { EventStreamClient } from '../../src/clients/event-stream-client.ts';
import { createLedgerClient } from '../../src/clients/ledger-client.ts';
import { createLivePageClient } from '../../src/clients/live-page-client.ts';
import { createRevisionStoreClient } from '../../src/clients/revision-store-client.ts';
import { createStagingClient } from '../../src/clients/staging-client.ts';
import { createWebhookClient } from '../../src/clients/webhook-client.ts';
import type { GatewayConfig, PublicApiLimits } from '../../src/config.ts';
import { standardDeadlines } from '../../src/deadlines.ts';
import type { Authority } from '../../src/domain/authority.ts';
import { openPublicApi, publicApiIndexes } from '../../src/open-public-api.ts';
import type { ReplyChannel } from '../../src/operations/ask-owner.ts';
import { trackPrices } from '../../src/operations/track-prices.ts';
import { type ApiAnswer, type ApiCall, closeCalls } from './api-call.ts';
import { callDocumented } from './call-documented.ts';
import { type FakeCollector, startFakeCollector } from './fake-collector.ts';
import { type FakeLedger, startFakeLedger } from './fake-ledger.ts';
import { type FakeRevisionStore, startFakeRevisionStore } from './fake-revision-store.ts';
import { type FakeWebhooks, startFakeWebhooks } from './fake-webhooks.ts';

/** Everything around a gateway: real Kafka and MongoDB, fake neighbours, Credentials in memory. */
export interface GatewayWorld {
  readonly namespace: TestNamespace;
  readonly bus: MessageBus;
  readonly collector: FakeCollector;
  readonly ledger: FakeLedger;
  readonly revisions: FakeRevisionStore;
  readonly webhooks: FakeWebhooks;
  /** A secret and what it stands for. */
  issue(overrides?: Partial<Authority>): { key: string; authority: Authority };
  find(secret: string): Promise<Authority | null>;
  digestOf(secret: string): string;
  /** The events of the Projects; empty unless a test puts some in. */
  readonly eventLog: EventStreamClient;
  findProject(id: ProjectId): Promise<{ accountId: AccountId } | null>;
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
  call(call: ApiCall): Promise<ApiAnswer>;
  stop(): Promise<void>;
}

export const cursorKeys = [
  'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
  'HxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo',
];

/** Patient enough for a busy machine; what must time out is given its own limits. */
export const patientLimits: PublicApiLimits = {
  decisionTimeoutMs: 15_000,
  chargeTimeoutMs: 15_000,
  deliverWithinMs: 20_000,
  reverseAfterMs: 1_000,
  readKeyKeepMs: 600_000,
  drainMs: 500,
};

export const patientLivePages: GatewayConfig['livePages'] = {
  liveWaitMs: 10_000,
  liveTransferMs: 1_000,
  cursorAgeMaxMs: 86_400_000,
};

export const patientCaptures: GatewayConfig['captures'] = {
  chainDeadlineMs: 600_000,
  stagingTimeoutMs: 5_000,
  settleWithinMs: 300_000,
};

/** For tests in which an answer is late or never comes. */
export const impatientLimits = { decisionTimeoutMs: 1_500, chargeTimeoutMs: 1_500 } as const;

export async function openWorld(): Promise<GatewayWorld> {
  const namespace = await openNamespace();
  const bus = await openTestBus(namespace);
  const [collector, ledger, revisions, webhooks] = await Promise.all([
    startFakeCollector(bus),
    startFakeLedger(bus),
    startFakeRevisionStore(),
    startFakeWebhooks(),
  ]);
  const authorities = new Map<string, Authority>();
  const mongo = new MongoClient(namespace.mongodbUri);
  const stops: (() => Promise<void>)[] = [];
  return {
    namespace,
    bus,
    collector,
    ledger,
    revisions,
    webhooks,
    issue(overrides = {}) {
      const authority: Authority = {
        accountId: newAccountId(),
        projectId: newProjectId(),
        credentialId: newCredentialId(),
        scopes: ['*'],
        expiresAtMs: null,
        networkPolicies: [],
        eventsEnabled: false,
        requestsPerMinute: 100_000,
        ...overrides,
      };
      const key = `key-of-${authority.credentialId}`;
      authorities.set(key, authority);
      return { key, authority };
    },
    find: async (secret) => authorities.get(secret) ?? null,
    digestOf: (secret) => secret,
    eventLog: emptyLog,
    findProject: async (id) =>
      [...authorities.values()].find(({ projectId }) => projectId === id) ?? null,
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
  readonly limits?: Partial<PublicApiLimits>;
  readonly livePages?: Partial<GatewayConfig['livePages']>;
  readonly trustedProxies?: readonly string[];
  readonly canTryReference?: boolean;
  /** Longest wait for a read of a neighbour. */
  readonly readTimeoutMs?: number;
  readonly mongodbUri?: string;
  /** Puts something of the test's between the gateway and its message bus. */
  readonly channelOf?: (bus: MessageBus) => Promise<ReplyChannel & { replies: ReplyBox }>;
}

export async function startTestGateway(
  world: GatewayWorld,
  overrides: TestGatewayOptions = {},
): Promise<TestGateway> {
  const common = testServiceConfig(world.namespace, 'gateway');
  const config: GatewayConfig = {
    ...common,
    mongodb: { ...common.mongodb, uri: overrides.mongodbUri ?? common.mongodb.uri },
    publicHttp: { host: '127.0.0.1', port: 0 },
    operatorToken: 'not used here: no operator API',
    services: {
      refreshCollectorUrl: world.collector.http.url,
      billingLedgerUrl: world.ledger.http.url,
      revisionStoreUrl: world.revisions.http.url,
      eventStreamUrl: world.webhooks.http.url,
      collectorTimeoutMs: overrides.readTimeoutMs ?? 10_000,
      revisionStoreTimeoutMs: overrides.readTimeoutMs ?? 10_000,
    },
    cursorKeys,
    trustedProxies: overrides.trustedProxies ?? [],
    reference: { canTry: overrides.canTryReference ?? false },
    limits: { ...patientLimits, ...overrides.limits },
    streams: testStreams,
    livePages: { ...patientLivePages, ...overrides.livePages },
    v1DeprecatedAtMs: Date.UTC(2026, 0, 1),
    captures: patientCaptures,
    deadlines: standardDeadlines,
  };
  const started = await startTestService({
    config,
    start: (context) => startPublicApi(context, world, overrides),
  });
  world.defer(started.stop);
  return { ...started, call: (call) => callDocumented(started.url, call) };
}

async function startPublicApi(
  context: ServiceContext<GatewayConfig>,
  world: GatewayWorld,
  { channelOf = openChannel }: TestGatewayOptions,
) {
  const { config, lifetime, logger } = context;
  const { db, bus } = await openBackends(context, 'gateway', publicApiIndexes);
  const channel = await channelOf(bus);
  lifetime.defer('replies', () => channel.replies.stop());
  const { services } = config;
  const open = (service: string, baseUrl: string, timeoutMs: number) => {
    const client = createInternalClient({ service, baseUrl, timeoutMs, serviceToken: undefined });
    lifetime.defer(service, () => client.close());
    return client;
  };
  const { collectorTimeoutMs, revisionStoreTimeoutMs } = services;
  const collector = open('refresh-collector', services.refreshCollectorUrl, collectorTimeoutMs);
  const ledger = open('billing-ledger', services.billingLedgerUrl, collectorTimeoutMs);
  const revisions = open('revision-store', services.revisionStoreUrl, revisionStoreTimeoutMs);
  const eventStream = open('event-stream', services.eventStreamUrl, collectorTimeoutMs);
  const ledgerClient = createLedgerClient(ledger, config.deadlines);
  const prices = trackPrices({ ledger: ledgerClient, logger });
  lifetime.defer('prices', () => prices.stop());
  return await openPublicApi(context, {
    db,
    channel,
    bus,
    authorities: world,
    collector: createCollectorClient(collector),
    ledger: ledgerClient,
    findProject: world.findProject,
    revisions: createRevisionStoreClient(revisions),
    livePages: createLivePageClient(collector, config.livePages),
    staging: createStagingClient(revisions, config.captures.stagingTimeoutMs),
    prices,
    eventLog: world.eventLog,
    webhooks: createWebhookClient(eventStream),
    findBySecretDigest: async () => null,
  });
}

const emptyLog: EventStreamClient = {
  heads: async () => ({ log_epoch: 1, heads: [] }),
  page: async () => ({
    log_epoch: 1,
    head_position: 0,
    earliest_position: 1,
    earliest_at: null,
    items: [],
  }),
};
/** Of a neighbour that a test has no use for. */
export const unusedUrl = 'http://127.0.0.1:9';
export const testStreams = {
  perProjectMax: 4,
  perReplicaMax: 100,
  heartbeatMs: 15_000,
  lifeMaxMs: 900_000,
  slowAfterMs: 25_000,
  authorityEveryMs: 30_000,
  drainMs: 100,
};

async function openChannel(bus: MessageBus) {
  return { bus, replies: await createReplyBox(bus, 'gateway') };
}
