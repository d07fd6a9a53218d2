import type { MessageBody } from '@inventory/contracts/messages';
import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';
import { connectMongo } from '@inventory/mongo/connect';
import type { Clock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Db } from 'mongodb';
import type { RevisionStoreConfig } from '../../src/config.ts';
import { startRevisionStore } from '../../src/start-revision-store.ts';
import { collectionsOf, type StoreCollections } from '../../src/storage/collections.ts';
import { completedMessage, newScan, type Scan, type ScanOptions } from './scan-builder.ts';
import { createStoreClient, type StoreClient } from './store-client.ts';

export type Committed = MessageBody<'revision.committed.v1'>;
export type Rejected = MessageBody<'revision.rejected.v1'>;

/** A revision-store of its own on the run's Kafka and MongoDB, and what is needed to use it. */
export interface StoreUnderTest {
  readonly namespace: TestNamespace;
  readonly bus: MessageBus;
  readonly outcomes: MessageRecorder;
  readonly db: Db;
  readonly collections: StoreCollections;
  readonly config: RevisionStoreConfig;
  /** Starts a replica; all are stopped at the end. */
  start(overrides?: StartOverrides): Promise<Replica>;
  /** Sends a command twice, as Kafka may. */
  complete(scan: Scan): Promise<void>;
  abandon(scan: Scan): Promise<void>;
  outcomesOf(scan: Scan): readonly ReceivedMessage[];
  committed(scan: Scan): Promise<Committed>;
  rejected(scan: Scan): Promise<Rejected>;
  close(): Promise<void>;
}

export interface StartOverrides {
  readonly clock?: Clock;
  readonly assembly?: Partial<RevisionStoreConfig['assembly']>;
  readonly retention?: Partial<RevisionStoreConfig['retention']>;
}

export interface Replica {
  readonly client: StoreClient;
  readonly url: string;
  /** Stages, completes and waits until it is saved. */
  save(options: ScanOptions): Promise<Committed>;
  stop(): Promise<void>;
}

export async function openStoreUnderTest(): Promise<StoreUnderTest> {
  const namespace = await openNamespace();
  const bus = await openTestBus(namespace);
  const outcomes = await recordMessages(bus, ['revision.outcomes.v1']);
  const config = testConfig(namespace);
  const { uri, database } = config.mongodb;
  const mongo = await connectMongo({ uri, database, service: 'test', logger: testLogger });
  const replicas: Replica[] = [];

  async function send(message: Parameters<MessageBus['publish']>[0][number]): Promise<void> {
    await bus.publish([message]);
    await bus.publish([message]);
  }

  const outcomesOf = (scan: Scan): ReceivedMessage[] =>
    outcomes.all.filter(({ key }) => key === scan.scanId);

  const store: StoreUnderTest = {
    namespace,
    bus,
    outcomes,
    config,
    db: mongo.db,
    collections: collectionsOf(mongo.db),
    complete: (scan) =>
      send({ type: 'revision.completed.v1', id: newId(), body: completedMessage(scan) }),
    abandon: (scan) => {
      const { scanId, refreshId } = scan;
      return send({ type: 'revision.abandoned.v1', id: newId(), body: { scanId, refreshId } });
    },
    outcomesOf,
    committed: (scan) =>
      waitFor('the scan is saved', () => {
        const [first] = outcomesOf(scan);
        if (first?.type === 'revision.rejected.v1') throw new Error(first.body.reason);
        return first?.body as Committed | undefined;
      }),
    rejected: (scan) =>
      waitFor('the scan is rejected', () => {
        const [first] = outcomesOf(scan);
        if (first?.type === 'revision.committed.v1') throw new Error('committed');
        return first?.body as Rejected | undefined;
      }),
    async start(overrides = {}) {
      const replica = await startReplica(store, overrides);
      replicas.push(replica);
      return replica;
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await bus.close();
      await mongo.close();
    },
  };
  return store;
}

const newId = systemIdentifiers.uuidV7;

function testConfig(namespace: TestNamespace): RevisionStoreConfig {
  return {
    ...testServiceConfig(namespace, 'revision_store'),
    // Far out: no pause of this machine ends a lease, or the wait for a page.
    assembly: { leaseMs: 600_000, smallScansMax: 8, missingPagesWaitMs: 600_000 },
    blockCacheBytes: 8 * 1024 * 1024,
    retention: {
      supersededKeptMs: 86_400_000,
      changesKeptMs: 30 * 86_400_000,
      headKeptMs: 180 * 86_400_000,
      forgottenChunksKeptMs: 86_400_000,
      forgottenCapturesKeptMs: 3_600_000,
      scanRecordsKeptMs: 30 * 86_400_000,
      pruneEveryMs: 100,
    },
  };
}

async function startReplica(store: StoreUnderTest, overrides: StartOverrides): Promise<Replica> {
  const { config } = store;
  const service = await startTestService({
    config: {
      ...config,
      assembly: { ...config.assembly, ...overrides.assembly },
      retention: { ...config.retention, ...overrides.retention },
    },
    start: startRevisionStore,
    ...(overrides.clock ? { clock: overrides.clock } : {}),
  });
  const client = createStoreClient(service.url);
  let stopped: Promise<void> | undefined;
  return {
    client,
    url: service.url,
    async save(options) {
      const scan = newScan(options);
      await client.stage(scan);
      await store.complete(scan);
      return store.committed(scan);
    },
    stop: () => {
      stopped ??= service.stop();
      return stopped;
    },
  };
}
