import { type RefreshView, refreshApi } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import { heldBy } from '@inventory/contracts/messages/billing';
import { acceptanceOf, type RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from '@inventory/platform-simulator/platform-simulator';
import { type Clock, monotonicNow } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
  newScope,
} from '@inventory/testkit/builders';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { type Db, MongoClient } from 'mongodb';
import type { RefreshCollectorConfig } from '../src/config.ts';
import { startRefreshCollector } from '../src/start-refresh-collector.ts';
import { type FakeLedger, startFakeLedger } from './fake-ledger.ts';
import { type FakeRevisionStore, startFakeRevisionStore } from './fake-revision-store.ts';
import { farMs, quickConfig } from './quick-config.ts';

export type Collector = Awaited<ReturnType<CollectorHarness['startCollector']>>;
type DecisionReply = MessageBody<'reply.refresh-decision.v1'>;
export type Decision =
  | Exclude<DecisionReply, { decision: 'accepted' }>
  | Omit<Extract<DecisionReply, { decision: 'accepted' }>, 'waitingId'>;

/** A collector's configuration but for what is given, section by section. */
type Overrides = {
  readonly [Section in keyof RefreshCollectorConfig]?: Partial<RefreshCollectorConfig[Section]>;
};

/** The collector among a simulated platform and neighbours that keep their contracts. */
export interface CollectorHarness {
  readonly namespace: TestNamespace;
  readonly bus: MessageBus;
  readonly simulator: PlatformSimulator;
  readonly ledger: FakeLedger;
  readonly store: FakeRevisionStore;
  readonly messages: MessageRecorder;
  /** What all collectors store. */
  readonly database: Db;
  startCollector(
    overrides?: Overrides,
    clock?: Clock,
  ): Promise<{
    readonly url: string;
    stop(): Promise<void>;
  }>;
  /** Stops all running collectors, as SIGTERM would. */
  stopCollectors(): Promise<void>;
  /** A knob of the simulator; answers its body. */
  control(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** The platform answers 503 to what matches; returns how to end that. */
  failPages(of: {
    platform_id?: string;
    app_id?: number;
    page?: number;
  }): Promise<() => Promise<void>>;
  /** The replies with the decision on a refresh, of the collector and the ledger. */
  decisions(refreshId: string): Decision[];
  /** How many scans each collector did, by its name in the leases. */
  scansByOwner(): Promise<number[]>;
  /** Sends a request, by default twice (delivery is at least once); returns its body. */
  request(fields?: Partial<RefreshRequest>, times?: 1 | 2): Promise<RefreshRequest>;
  cancel(of: RefreshRequest): Promise<void>;
  view(collector: { url: string }, refreshId: string): Promise<RefreshView>;
  completed(collector: { url: string }, refreshId: string): Promise<RefreshView>;
  close(): Promise<void>;
}

/** Of the platform's time: 100 ms of ours. */
const blockSeconds = 0.000_1;

export async function openCollectorHarness(
  simulatorOptions: Parameters<typeof startPlatformSimulator>[0] = {},
): Promise<CollectorHarness> {
  const namespace = await openNamespace();
  const bus = await openTestBus(namespace);
  const simulator = await startPlatformSimulator({
    // A thousand times slower than ours: no stop of this machine is a minute on the platform.
    now: () => monotonicNow() / 1_000,
    limits: { windowSeconds: 60, slots: null, blockSeconds, countMax: 2_000 },
    latency: { fixedMs: 0, slowMs: farMs },
    ...simulatorOptions,
  });
  const ledger = await startFakeLedger(bus);
  const store = await startFakeRevisionStore(bus);
  const mongo = await MongoClient.connect(namespace.mongodbUri);
  const database = mongo.db(namespace.database('refresh_collector'));
  const messages = await recordMessages(bus, [
    'replies.v1',
    'refresh.outcomes.v1',
    'billing.commands.v1',
    'revision.commands.v1',
  ]);
  await bus.consume({
    group: 'fake-event-stream',
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey({ 'refresh.completed.v1': ({ body }) => appendEvent(bus, body) }, 4),
  });
  let stops: (() => Promise<void>)[] = [];

  const control: CollectorHarness['control'] = async (method, path, body) => {
    const response = await fetch(`${simulator.url}/control${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };

  async function stopCollectors(): Promise<void> {
    const running = stops;
    stops = [];
    await Promise.all(running.map((stop) => stop()));
  }

  const view = async (collector: { url: string }, refreshId: string): Promise<RefreshView> => {
    const response = await fetch(`${collector.url}/refreshes/${refreshId}`);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return refreshApi.readRefresh.response.parse(await response.json());
  };

  return {
    namespace,
    bus,
    simulator,
    ledger,
    store,
    messages,
    database,
    decisions: (refreshId) => decisionsAmong(messages, refreshId),
    view,
    stopCollectors,
    control,
    async failPages(of) {
      const failure = { kind: 'gateway', status: 503 };
      const { fault_id } = await control('POST', '/faults', { failure, ...of });
      return async () => {
        await control('DELETE', `/faults/${fault_id}`);
      };
    },
    async startCollector(overrides = {}, clock) {
      const config = withOverrides(
        {
          ...testServiceConfig(namespace, 'refresh_collector'),
          ...quickConfig(simulator, store),
        },
        overrides,
      );
      const start = startRefreshCollector;
      const started = await startTestService({ config, start, ...(clock ? { clock } : {}) });
      stops.push(started.stop);
      return started;
    },
    async scansByOwner() {
      const scanned = database.collection('refreshes').find({ scan: { $ne: null } });
      const byWorker = Map.groupBy(await scanned.toArray(), ({ scan }) => scan.worker);
      return [...byWorker.values()].map((of) => of.length);
    },
    async request(fields = {}, times = 2) {
      const body: RefreshRequest = {
        refreshId: newRefreshId(),
        accountId: newAccountId(),
        projectId: newProjectId(),
        credentialId: null,
        requestId: newRequestId(),
        idempotencyKey: null,
        fingerprint: 'f'.repeat(64),
        scope: newScope(),
        language: 'english',
        maxCredits: 125,
        requestedAtMs: Date.now(),
        freshness: null,
        watchId: null,
        ...fields,
      };
      const message = {
        type: 'refresh.request.v1',
        id: systemIdentifiers.uuidV7(),
        body,
        waitingId: `waiting:${body.refreshId}`,
      } as const;
      await bus.publish(times === 2 ? [message, message] : [message]);
      return body;
    },
    async cancel(request) {
      const body = { ...request, requestedAtMs: Date.now() };
      const id = `cancel:${request.refreshId}`;
      await bus.publish([{ type: 'refresh.cancel.v1', id, body, waitingId: id }]);
    },
    completed: (collector, refreshId) =>
      waitFor(`refresh ${refreshId} is completed`, async () => {
        const seen = await view(collector, refreshId);
        return seen.record.state === 'completed' && seen;
      }),
    async close() {
      await stopCollectors();
      await bus.close();
      await Promise.all([store.close(), simulator.close(), mongo.close()]);
    },
  };
}

/** The ledger's reply with a hold is the acceptance; every other decision is the collector's. */
function decisionsAmong(messages: MessageRecorder, refreshId: string): Decision[] {
  const held = messages.of('reply.billing-outcome.v1').flatMap(({ outcome, ...times }) => {
    const { deadlineAtMs, retryAfterSeconds } = times;
    if (outcome?.refreshId !== refreshId || outcome.result === 'refused') return [];
    if (!deadlineAtMs || !retryAfterSeconds) return [];
    const terms = { ...acceptanceOf(heldBy(outcome)), deadlineAtMs, retryAfterSeconds };
    return [{ decision: 'accepted', refreshId: outcome.refreshId, ...terms } as const];
  });
  const replies = messages.of('reply.refresh-decision.v1');
  return [...held, ...replies.filter((reply) => reply.refreshId === refreshId)];
}

function withOverrides(
  config: RefreshCollectorConfig,
  overrides: Overrides,
): RefreshCollectorConfig {
  const sections = Object.entries(overrides).map(([name, section]) => {
    const given = config[name as keyof RefreshCollectorConfig];
    return [name, typeof given === 'object' ? { ...given, ...(section as object) } : section];
  });
  return { ...config, ...Object.fromEntries(sections) };
}

async function appendEvent(
  bus: MessageBus,
  body: MessageBody<'refresh.completed.v1'>,
): Promise<void> {
  await bus.publish([
    {
      type: 'project.event-appended.v1',
      id: body.refreshId,
      body: {
        projectId: body.projectId,
        position: 1,
        logEpoch: 1,
        appendedAtMs: null,
        event: {
          id: `evt_${body.refreshId}`,
          type: 'inventory.refresh.completed',
          occurredAtMs: body.completedAtMs,
          refreshId: body.refreshId,
          json: '{}',
        },
      },
    },
  ]);
}
