import { acceptanceOf, type RefreshView } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import { heldBy } from '@inventory/contracts/messages/billing-outcome';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from '@inventory/platform-simulator/platform-simulator';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
  newScope,
} from '@inventory/testkit/builders';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { MongoClient } from 'mongodb';
import type { RefreshCollectorConfig } from '../src/config.ts';
import { startRefreshCollector } from '../src/start-refresh-collector.ts';
import { type FakeLedger, startFakeLedger } from './fake-ledger.ts';
import { type FakeRevisionStore, startFakeRevisionStore } from './fake-revision-store.ts';

export type Collector = Awaited<ReturnType<CollectorHarness['startCollector']>>;
type RefreshRequest = MessageBody<'refresh.request.v1'>;
type Told = MessageBody<'reply.refresh-decision.v1'>;
export type Decision =
  | Exclude<Told, { decision: 'accepted' }>
  | Omit<Extract<Told, { decision: 'accepted' }>, 'waiting_id'>;

/** A collector's configuration but for what is given, section by section. */
type Overrides = {
  readonly [Section in keyof RefreshCollectorConfig]?: Partial<RefreshCollectorConfig[Section]>;
};

/** The collector among a simulated platform and neighbours that keep their contracts. */
export interface CollectorHarness {
  readonly bus: MessageBus;
  readonly simulator: PlatformSimulator;
  readonly ledger: FakeLedger;
  readonly store: FakeRevisionStore;
  readonly messages: MessageRecorder;
  startCollector(overrides?: Overrides): Promise<{
    readonly url: string;
    stop(): Promise<void>;
  }>;
  /** What those who wait for the decision on a refresh were told, by the collector and the ledger. */
  decisions(refreshId: string): Decision[];
  /** How many scans each collector did, by its name in the leases. */
  scansByOwner(): Promise<number[]>;
  /** Sends a request, twice unless told otherwise (delivery is at least once); returns its body. */
  request(fields?: Partial<RefreshRequest>, times?: 1 | 2): Promise<RefreshRequest>;
  cancel(of: RefreshRequest): Promise<void>;
  view(collector: { url: string }, refreshId: string): Promise<RefreshView>;
  completed(collector: { url: string }, refreshId: string): Promise<RefreshView>;
  close(): Promise<void>;
}

export const identitiesOf = (simulator: PlatformSimulator, count: number): string[] =>
  Array.from({ length: count }, (_, index) => simulator.proxyUrl(`egress-${index + 1}`));

export async function openCollectorHarness(
  simulatorOptions: Parameters<typeof startPlatformSimulator>[0] = {},
): Promise<CollectorHarness> {
  const namespace = await openNamespace();
  const bus = await openTestBus(namespace);
  const simulator = await startPlatformSimulator({
    limits: { windowSeconds: 60, slots: null, blockSeconds: 1, countMax: 2_000 },
    ...simulatorOptions,
  });
  const ledger = await startFakeLedger(bus);
  const store = await startFakeRevisionStore(bus);
  const messages = await recordMessages(bus, [
    'replies.v1',
    'refresh.outcomes.v1',
    'billing.commands.v1',
  ]);
  await bus.consume({
    group: 'fake-event-stream',
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey({ 'refresh.completed.v1': ({ body }) => appendEvent(bus, body) }, 4),
  });
  const stops: (() => Promise<void>)[] = [];

  const view = async (collector: { url: string }, refreshId: string): Promise<RefreshView> => {
    const response = await fetch(`${collector.url}/refreshes/${refreshId}`);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as RefreshView;
  };

  return {
    bus,
    simulator,
    ledger,
    store,
    messages,
    decisions: (refreshId) => decisionsAmong(messages, refreshId),
    view,
    async startCollector(overrides = {}) {
      const config = withOverrides(
        {
          ...testServiceConfig(namespace, 'refresh_collector'),
          ...quickConfig(simulator, store),
        },
        overrides,
      );
      const started = await startTestService({ config, start: startRefreshCollector });
      stops.push(started.stop);
      return started;
    },
    async scansByOwner() {
      const client = await MongoClient.connect(namespace.mongodbUri);
      try {
        const refreshes = client
          .db(namespace.database('refresh_collector'))
          .collection('refreshes');
        const found = await refreshes.find({ scan: { $ne: null } }).toArray();
        return [...Map.groupBy(found, ({ scan }) => scan.owner).values()].map((of) => of.length);
      } finally {
        await client.close();
      }
    },
    async request(fields = {}, times = 2) {
      const body: RefreshRequest = {
        refresh_id: newRefreshId(),
        account_id: newAccountId(),
        project_id: newProjectId(),
        request_id: newRequestId(),
        idempotency_key: null,
        fingerprint: 'f'.repeat(64),
        scope: newScope(),
        language: 'english',
        max_credits: 125,
        requested_at: new Date().toISOString(),
        ...fields,
      };
      const message = {
        type: 'refresh.request.v1',
        id: systemIdentifiers.uuidV7(),
        body,
        waitingId: `waiting:${body.refresh_id}`,
      } as const;
      await bus.publish(times === 2 ? [message, message] : [message]);
      return body;
    },
    async cancel({ refresh_id, account_id, project_id }) {
      const body = { refresh_id, account_id, project_id, requested_at: new Date().toISOString() };
      const id = `cancel:${refresh_id}`;
      await bus.publish([{ type: 'refresh.cancel.v1', id, body, waitingId: id }]);
    },
    completed: (collector, refreshId) =>
      waitFor(`refresh ${refreshId} is completed`, async () => {
        const seen = await view(collector, refreshId);
        return seen.record.state === 'completed' && seen;
      }),
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      await bus.close();
      await Promise.all([store.close(), simulator.close()]);
    },
  };
}

/** A hold that the ledger tells of is the yes; everything else the collector says itself. */
function decisionsAmong(messages: MessageRecorder, refreshId: string): Decision[] {
  const held = messages.of('reply.billing-outcome.v1').flatMap(({ outcome, deadline_at }) => {
    if (outcome.refresh_id !== refreshId || outcome.result === 'refused' || !deadline_at) return [];
    const terms = { ...acceptanceOf(heldBy(outcome)), deadline_at };
    return [{ decision: 'accepted', refresh_id: outcome.refresh_id, ...terms } as const];
  });
  const told = messages.of('reply.refresh-decision.v1');
  return [...held, ...told.filter((reply) => reply.refresh_id === refreshId)];
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

/** Short pauses; otherwise what is configured in production. */
function quickConfig(
  simulator: PlatformSimulator,
  store: FakeRevisionStore,
): Omit<RefreshCollectorConfig, keyof ReturnType<typeof testServiceConfig>> {
  return {
    revisionStoreUrl: store.url,
    billingLedgerUrl: store.url,
    platform: {
      baseUrl: simulator.url,
      egress: identitiesOf(simulator, 4),
      timeoutMs: 2_000,
      bodyBytesMax: 8 * 1024 * 1024,
      userAgent: 'test',
    },
    identities: {
      requestsPerMinute: 60_000,
      burst: 100,
      silenceFirstMs: 1_500,
      silenceMaxMs: 3_000,
    },
    scan: {
      pagesMax: 250,
      triesMax: 5,
      throttledMax: 6,
      retryMs: 20,
      duplicateRetryMs: 40,
      count: 2_000,
      smallerCount: 1_000,
    },
    live: { triesMax: 3, retryMs: 20, seatsMax: 1_000, perAccountMax: 100 },
    scheduling: { leaseMs: 3_000, scansMax: 64, scansPerAccountMax: 16, idleMs: 100 },
    deadlines: { queueMs: 1_800_000, collectMs: 3_600_000 },
    admission: { outstandingMax: 10_000, outstandingPerAccountMax: 1_000 },
    keeping: {
      keepTerminalMs: 86_400_000,
      keepRefusedMs: 86_400_000,
      askFirstMs: 1_000,
      askMaxMs: 2_000,
    },
    holds: { sweepMs: 600_000, ageSeconds: 3_600 },
  };
}

async function appendEvent(
  bus: MessageBus,
  body: MessageBody<'refresh.completed.v1'>,
): Promise<void> {
  await bus.publish([
    {
      type: 'project.event-appended.v1',
      id: body.refresh_id,
      body: {
        project_id: body.project_id,
        position: 1,
        log_epoch: 1,
        event: {
          id: `evt_${body.refresh_id}`,
          version: 1,
          type: 'inventory.refresh.completed',
          occurred_at: body.completed_at,
          project_id: body.project_id,
          data: { refresh_id: body.refresh_id, state: 'completed', outcome: body.outcome },
          links: { refresh: `/v2/platform/inventory-refreshes/${body.refresh_id}` },
        },
      },
    },
  ]);
}
