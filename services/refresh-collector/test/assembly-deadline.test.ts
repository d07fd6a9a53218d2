import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { MessageBus } from '@inventory/messaging/bus';
import { loadConfig } from '@inventory/revision-store/config';
import { startRevisionStore } from '@inventory/revision-store/start-revision-store';
import { dateOf } from '@inventory/runtime/clock';
import { createRunningClock } from '@inventory/testkit/test-clock';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { MongoClient } from 'mongodb';
import { openCollections } from '../src/collections.ts';
import {
  type Collector,
  type CollectorHarness,
  openCollectorHarness,
} from './collector-harness.ts';
import { farMs } from './quick-config.ts';
import { requiredSettings } from './required-settings.ts';
import { type ScannedInventories, scannedInventories } from './scanned-inventories.ts';

/*
 * The collector beside the real revision-store: one replica only stages pages, and the one that
 * decides is started when a test wants decisions.
 */

const [hourMs, graceMs] = [3_600_000, 600_000];
const clock = createRunningClock();

let harness: CollectorHarness;
let inventories: ScannedInventories;
let mongo: MongoClient;
let staging: { readonly url: string; stop(): Promise<void> };
let collector: Collector;

beforeAll(async () => {
  harness = await openCollectorHarness();
  inventories = scannedInventories(harness);
  mongo = await MongoClient.connect(harness.namespace.mongodbUri);
  // The fake one answers no command.
  harness.store.hold();
  staging = await startStore(consumesNothing);
  collector = await harness.startCollector({ revisionStoreUrl: staging.url }, clock);
});
afterAll(async () => {
  await harness.stopCollectors();
  await staging.stop();
  await mongo.close();
  await harness.close();
});

/** A bus of the test for a store; its consumers are given what `consume` makes of theirs. */
const busWith = (consume: MessageBus['consume']): MessageBus => ({
  ...harness.bus,
  consume,
  close: async () => {},
});
const consumesNothing: MessageBus['consume'] = async () => ({ stop: async () => {} });
const losesManifests: MessageBus['consume'] = ({ onBatch, ...consumer }) =>
  harness.bus.consume({
    ...consumer,
    onBatch: (messages, ...controls) =>
      onBatch(
        messages.filter(({ type }) => type !== 'revision.completed.v1'),
        ...controls,
      ),
  });

function startStore(consume?: MessageBus['consume']) {
  const config = loadConfig(requiredSettings);
  return startTestService({
    config: {
      ...config,
      ...testServiceConfig(harness.namespace, 'revision_store'),
      assembly: { ...config.assembly, leaseMs: farMs },
    },
    start: startRevisionStore,
    ...(consume ? { bus: busWith(consume) } : {}),
  });
}

const storeDatabase = () => mongo.db(harness.namespace.database('revision_store'));
const stored = (_id: string) => openCollections(harness.database).refreshes.findOne({ _id });

const request = (scope: InventoryKey) => harness.request({ scope, requestedAtMs: clock.now() });

async function assembling(scope = inventories.next(1)) {
  const requested = await request(scope);
  await waitFor('its manifest is handed over', () =>
    harness.messages
      .of('revision.completed.v1')
      .some(({ refreshId }) => refreshId === requested.refreshId),
  );
  return requested;
}

/** No assembly of the inventory begins while another one seems to run. */
const leases = () => storeDatabase().collection<{ _id: string; epoch: number }>('scopes');
const holdAssembly = (scope: InventoryKey) =>
  leases().updateOne(
    { _id: inventoryKeyText(scope) },
    { $inc: { epoch: 1 }, $set: { lease: { token: 'held', until: dateOf(Date.now() + farMs) } } },
    { upsert: true },
  );
const letAssemble = (scope: InventoryKey) =>
  leases().updateOne({ _id: inventoryKeyText(scope) }, { $unset: { lease: '' } });
const scans = () => storeDatabase().collection<{ _id: string; state: string }>('scans');

const abandonsOf = (refreshId: string) =>
  harness.messages.of('revision.abandoned.v1').filter((body) => body.refreshId === refreshId);
const abandonSent = (refreshId: string) =>
  waitFor('its abandonment is sent', () => abandonsOf(refreshId).length > 0);

const abandoned = {
  outcome: 'internal_failure',
  revisionId: null,
  deadlineAtMs: null,
  billing: { disposition: 'release', creditsCharged: 0, creditsReleased: 125 },
};
const saved = {
  outcome: 'complete_changed',
  billing: { disposition: 'finalize_complete', creditsCharged: 1, creditsReleased: 124 },
};

describe('an assembly past the deadline of its refresh (Refresh: Deadlines, settling)', () => {
  it('ends by itself when the store comes back after hours with manifests and abandonments unread [deadlines]', async () => {
    const requests = await Promise.all([assembling(), assembling(), assembling()]);
    clock.advance(3 * hourMs);
    for (const { refreshId } of requests) await abandonSent(refreshId);

    const store = await startStore();

    for (const { refreshId } of requests) {
      const { record } = await harness.completed(collector, refreshId);
      expect(record).toMatchObject(record.revisionId === null ? abandoned : saved);
    }
    await store.stop();
  });

  it('is abandoned where no manifest of it can be delivered [deadlines]', async () => {
    const store = await startStore(losesManifests);
    const { refreshId } = await assembling();

    clock.advance(hourMs + graceMs);

    expect((await harness.completed(collector, refreshId)).record).toMatchObject(abandoned);
    await store.stop();
  });

  describe('that the store has received', () => {
    let store: { stop(): Promise<void> };
    beforeAll(async () => {
      store = await startStore();
    });
    afterAll(() => store.stop());

    async function received(scope: InventoryKey): Promise<string> {
      await holdAssembly(scope);
      const { refreshId } = await assembling(scope);
      await waitFor(
        'the store has its manifest',
        async () => (await scans().findOne({ _id: refreshId }))?.state === 'received',
      );
      return refreshId;
    }

    it('is abandoned, and the inventory is saved by the next refresh [deadlines]', async () => {
      const scope = inventories.next(1);
      const refreshId = await received(scope);
      const { record } = await harness.view(collector, refreshId);
      const { collectDeadlineMs: collectDeadline } = (await stored(refreshId)) ?? {};

      clock.advance(hourMs + graceMs);

      expect((await harness.completed(collector, refreshId)).record).toMatchObject(abandoned);
      expect(record).toMatchObject({
        state: 'settling',
        deadlineAtMs: (collectDeadline ?? 0) + graceMs,
      });
      await letAssemble(scope);
      const next = await request(scope);
      expect((await harness.completed(collector, next.refreshId)).record).toMatchObject(saved);
    });

    it('is saved and charged once its commit has begun: the store decides [deadlines]', async () => {
      const scope = inventories.next(1);
      const refreshId = await received(scope);
      await scans().updateOne({ _id: refreshId }, { $set: { state: 'committing' } });

      clock.advance(hourMs + graceMs);
      await abandonSent(refreshId);
      await letAssemble(scope);

      expect((await harness.completed(collector, refreshId)).record).toMatchObject(saved);
    });
  });
});
