import type { ObservationId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { createScanRecords } from '../src/storage/scan-store.ts';
import { createScopeStore } from '../src/storage/scope-store.ts';
import { assemble } from './support/assembled-inventory.ts';
import { startHeldAssemblies } from './support/held-assemblies.ts';
import { openHistory } from './support/history.ts';
import { memoryInventory } from './support/memory-inventory.ts';
import { completedScan, newScan, plainPage, type Scan } from './support/scan-builder.ts';
import { chunkPathOf } from './support/store-client.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

let store: StoreUnderTest;

beforeAll(async () => {
  store = await openStoreUnderTest();
});
afterAll(() => store.close());

/** A replica for the tests of this block alone. */
function replicaOfBlock(overrides: Parameters<StoreUnderTest['start']>[0] = {}): () => Replica {
  let replica: Replica;
  beforeAll(async () => {
    replica = await store.start(overrides);
  });
  afterAll(() => replica.stop());
  return () => replica;
}

const stores = () => ({
  scans: createScanRecords(store.collections.scans),
  scopes: createScopeStore(store.collections.scopes, 600_000, testLogger),
});

/** The command of a scan whose pages are missing, twice: replicas check for work at once. */
const wakeReplicas = () => store.complete(newScan({ scope: newScope(), pages: [plainPage(0, 1)] }));

/** Does what a worker does up to a point, and then nothing any more, as after kill -9. */
async function crashedWorker(scan: Scan) {
  const { scans, scopes } = stores();
  const nowMs = systemClock.now();
  const untilMs = nowMs + 600_000;
  const received = { scan: completedScan(scan), trace: {}, nowMs };
  await scans.insertScan(received, { dueAtMs: untilMs, owner: 'crashed' });
  const change = (update: object) =>
    store.collections.scans.updateOne({ _id: scan.scanId }, update);
  const _id = inventoryKeyText(scan.scope);
  const lease = await scopes.acquireLease(_id, systemIdentifiers.uuidV7());
  if (!lease) throw new Error('no lease');
  const dueIn = (ms: number) => change({ $set: { 'work.dueAtMs': systemClock.now() + ms } });
  const expired = { $set: { 'lease.until': new Date(0) } };
  const scopeLeaseEnds = () => store.collections.scopes.updateOne({ _id }, expired);
  /** As when their time runs out, and only once the worker has done what it was to do. */
  const leasesEnd = async () => {
    await scopeLeaseEnds();
    await dueIn(0);
    await wakeReplicas();
  };
  /** As workers that claim it one after another and crash at once. */
  const claimAgain = (times: number) => change({ $inc: { 'work.tries': times } });
  return { lease, scopeLeaseEnds, leasesEnd, dueIn, claimAgain, ...stores() };
}

/** The same after the head moved and before the result was copied to the scan. */
async function crashedAfterHeadMoved(scan: Scan) {
  const crashed = await crashedWorker(scan);
  const { scanId, refreshId } = scan;
  // An observation is one of its inventory.
  const observationId = `invobs_${systemIdentifiers.uuidV7()}` as ObservationId;
  const head = { ...emptyHead, observationId };
  const move = { head, decided: { scanId, refreshId, result }, pruneAtMs: 0 };
  expect(await crashed.scans.beginCommit(scanId)).toBe(true);
  expect(await crashed.scopes.moveHead(crashed.lease, move)).toBe(true);
  return crashed;
}

const emptyHead = memoryInventory(assemble([], 1), 1).observation;
const result = {
  result: 'committed',
  revisionId: 'invrev_01900000-0000-7000-8000-000000000000',
  observationId: 'invobs_01900000-0000-7000-8000-000000000000',
  changed: true,
  observedAssets: 1,
  previousRevisionId: null,
} as const;

/** Blocks of a try that crashed, that nothing refers to. */
async function leaveOrphan({ scope, scanId }: Scan): Promise<void> {
  const set = `orphan-${scanId}`;
  const block = { _id: `${set}/0`, scope: inventoryKeyText(scope), set, index: 0 };
  await store.collections.assetBlocks.insertOne(block as never);
}
const setsOf = ({ scope }: Scan) =>
  store.collections.assetBlocks.distinct('set', { scope: inventoryKeyText(scope) });

describe('A scan whose worker crashed (architecture: leases)', () => {
  const running = replicaOfBlock();

  it('is assembled by another once the lease has run out; the old worker can change nothing', async () => {
    const replica = running();
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)], sequence: 7 });
    await replica.client.stage(scan);
    const crashed = await crashedWorker(scan);
    expect(await crashed.scans.beginCommit(scan.scanId)).toBe(true);
    await crashed.leasesEnd();

    const saved = await store.committed(scan);
    const inventory = await store.collections.scopes.findOne({ _id: inventoryKeyText(scan.scope) });
    expect(inventory).toMatchObject({ head: { sequence: 7 } });

    const { scanId, refreshId } = scan;
    const stale = { head: emptyHead, decided: { scanId, refreshId, result }, pruneAtMs: 0 };
    expect(await crashed.scopes.moveHead(crashed.lease, stale)).toBe(false);
    expect(await crashed.scopes.renewLease(crashed.lease)).toBe(false);
    expect((await replica.client.page(scan.scope)).meta.revisionId).toBe(saved.revisionId);
    const outcomes = store.outcomesOf(scan).map(({ id, body }) => JSON.stringify([id, body]));
    expect(new Set(outcomes).size).toBe(1);
  });

  it.each(['before', 'after'])(
    'after its head moved has the outcome stored beside the head, and its staged pages go: %s they were deleted',
    async (when) => {
      const { collections } = store;
      const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
      const { scanId } = scan;
      await running().client.stage(scan);
      const crashed = await crashedAfterHeadMoved(scan);
      if (when === 'after') await collections.chunks.deleteMany({ scanId });
      await crashed.dueIn(0);

      expect(await store.committed(scan)).toMatchObject({ observationId: result.observationId });
      await waitFor('nothing of it is staged', async () => {
        const record = await collections.scans.findOne({ _id: scanId });
        if (record?.state !== 'committed' || record.chunksDropAtMs) return false;
        return (await collections.chunks.countDocuments({ scanId })) === 0;
      });
    },
  );

  it('after its decision has its outcome sent once the collector repeats its command (architecture: a pending request is re-sent)', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    const crashed = await crashedAfterHeadMoved(scan);
    const decision = { scanId: scan.scanId, fact: 'head_moved', result } as const;
    expect(await crashed.scans.decideScan({ ...decision, nowMs: systemClock.now() })).toBe(true);
    expect(store.outcomesOf(scan)).toEqual([]);

    await store.complete(scan);

    expect(await store.committed(scan)).toMatchObject({ observationId: result.observationId });
  });

  it('after its head moved has its outcome also when another scan is assembled first', async () => {
    const scope = newScope();
    const scan = newScan({ scope, pages: [plainPage(0, 3)] });
    const crashed = await crashedAfterHeadMoved(scan);
    // Its own turn does not come; only the next scan of the inventory does.
    await crashed.dueIn(600_000);

    await running().save({ scope, pages: [plainPage(0, 4)] });

    expect(await store.committed(scan)).toMatchObject({ observationId: result.observationId });
  });

  it('after its head moved has its outcome recorded before the head of another scan moves', async () => {
    const { deps, scope, stage, assemble } = openHistory(store, createTestClock(Date.now()));
    const decideScan = () => Promise.reject(new Error('crashed'));
    const crashing = { ...deps, scans: { ...deps.scans, decideScan } };
    const pages = [plainPage(0, 3)];
    const [one, next] = [await stage({ pages }), await stage({ pages })];

    await expect(assemble(one, crashing)).rejects.toThrow('crashed');
    await expect(assemble(next, crashing)).rejects.toThrow('crashed');
    const inventory = await store.collections.scopes.findOne({ _id: inventoryKeyText(scope) });
    expect(inventory?.lastResult?.scanId).toBe(one.scanId);
    await assemble(next);
    expect(await deps.scans.findScan(one.scanId)).toMatchObject({ state: 'committed' });
  });

  it('after its head moved has its outcome sent by the pruner when no scan comes (architecture: law 2)', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    const crashed = await crashedAfterHeadMoved(scan);
    await crashed.dueIn(600_000);

    expect(await store.committed(scan)).toMatchObject({ observationId: result.observationId });
    await waitFor('nothing of the inventory is left', async () => {
      const _id = inventoryKeyText(scan.scope);
      return (await store.collections.scopes.countDocuments({ _id })) === 0;
    });
  });

  it.each(['is scanned', 'is erased and scanned'])(
    'after its decision never blocks its inventory: it %s after the record expired (Failure modes)',
    async (what) => {
      const { scope, ...scan } = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
      const crashed = await crashedAfterHeadMoved({ ...scan, scope });
      const { scanId, refreshId } = scan;
      const decision = { scanId, fact: 'head_moved', result, nowMs: systemClock.now() } as const;
      expect(await crashed.scans.decideScan(decision)).toBe(true);
      await store.collections.scans.deleteOne({ _id: scanId, refreshId } as never);
      // The pruner would remove the inventory before the scan: there is nothing to keep.
      const pruneAtMs = systemClock.now() + 3_600_000;
      const ofIt = { _id: inventoryKeyText(scope) };
      await store.collections.scopes.updateOne(ofIt, { $set: { pruneAtMs } });

      if (what !== 'is scanned') expect(await running().client.erase(scope)).toBe(204);
      const saved = await running().save({ scope, pages: [plainPage(0, 4)] });

      expect(saved.observedAssets).toBe(4);
    },
  );

  it.each(['received', 'committing'] as const)(
    'in each of six tries while it was %s is rejected before a seventh begins (Failure modes: an internal fault)',
    async (state) => {
      const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
      await running().client.stage(scan);
      const crashed = await crashedWorker(scan);
      if (state === 'committing') await crashed.scans.beginCommit(scan.scanId);
      await leaveOrphan(scan);
      await crashed.claimAgain(5);
      await crashed.leasesEnd();

      expect((await store.rejected(scan)).reason).toBe('invalid_pages');

      expect((await running().client.page(scan.scope)).status).toBe(404);
      await waitFor('its blocks are pruned', async () => (await setsOf(scan)).length === 0);
    },
  );

  it('in each of five tries is assembled by the sixth (Failure modes: an internal fault)', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await running().client.stage(scan);
    const crashed = await crashedWorker(scan);
    await crashed.claimAgain(4);
    await crashed.leasesEnd();

    expect((await store.committed(scan)).observedAssets).toBe(3);
  });

  it('leaves no blocks behind', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await running().client.stage(scan);
    const crashed = await crashedWorker(scan);
    await leaveOrphan(scan);
    await crashed.leasesEnd();

    const saved = await store.committed(scan);

    await waitFor('the orphaned block is pruned', async () => {
      const sets = await setsOf(scan);
      return sets.length === 1 && sets[0] === saved.revisionId;
    });
  });

  it('is abandoned before the commit: the commit fails, and what was written for it goes', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    const crashed = await crashedWorker(scan);
    await leaveOrphan(scan);
    await store.abandon(scan);

    expect((await store.rejected(scan)).reason).toBe('abandoned');
    expect(await crashed.scans.beginCommit(scan.scanId)).toBe(false);
    await crashed.leasesEnd();
    await waitFor('its blocks are pruned', async () => (await setsOf(scan)).length === 0);
    await waitFor('nothing of the inventory is remembered', async () => {
      const _id = inventoryKeyText(scan.scope);
      return (await store.collections.scopes.countDocuments({ _id })) === 0;
    });
  });

  it('is abandoned after its commit began: its outcome is published, without another effect', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    const crashed = await crashedWorker(scan);
    expect(await crashed.scans.beginCommit(scan.scanId)).toBe(true);
    await store.abandon(scan);
    await running().client.stage(scan);
    await crashed.leasesEnd();

    expect((await store.committed(scan)).observedAssets).toBe(3);
  });
});

describe('A service that stops', () => {
  it('releases the scan it is assembling at once, long before its lease expires', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3), plainPage(3, 5)] });
    const first = startHeldAssemblies(store);
    await stores().scans.insertScan({
      scan: completedScan(scan),
      trace: {},
      nowMs: systemClock.now(),
    });
    first.wake();
    await first.reading;
    const second = await store.start();
    await second.client.stage(scan);
    expect(store.outcomesOf(scan)).toEqual([]);

    await first.stop();

    expect((await store.committed(scan)).observedAssets).toBe(5);
    await second.stop();
  });
});

describe('A scan (architecture: the scan document decides)', () => {
  const running = replicaOfBlock();

  it('that is abandoned while it completes has one outcome in every message', async () => {
    const replica = running();
    const scans = Array.from({ length: 30 }, () =>
      newScan({ scope: newScope(), pages: [plainPage(0, 3)] }),
    );
    for (const scan of scans) await replica.client.stage(scan);

    await Promise.all(
      scans.map(async (scan, at) => {
        const [first, second] =
          at % 2 ? [store.complete, store.abandon] : [store.abandon, store.complete];
        await first(scan);
        await second(scan);
      }),
    );

    for (const scan of scans) {
      const outcomes = await waitFor('it is decided', () => {
        const outcomes = store.outcomesOf(scan);
        return outcomes.length > 0 && outcomes;
      });
      expect(new Set(outcomes.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const { status } = await replica.client.page(scan.scope);
      expect(status).toBe(outcomes[0]?.type === 'revision.committed.v1' ? 200 : 404);
    }
    const firstOrder = scans.filter((_, at) => at % 2 === 0);
    for (const scan of firstOrder) expect((await store.rejected(scan)).reason).toBe('abandoned');
  });

  it('waits for missing pages: a chunk that comes late completes the scan', async () => {
    const replica = running();
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3), plainPage(3, 5)] });
    const [first, second] = scan.pages.map((chunks) => chunks[0] as Buffer);
    await replica.client.putChunk(chunkPathOf(scan, 0, 0), first as Buffer);
    await store.complete(scan);
    await waitFor('a first try found it missing', async () => {
      const { work } = (await store.collections.scans.findOne({ _id: scan.scanId })) ?? {};
      return work?.owner && work.tries === 0;
    });

    await replica.client.putChunk(chunkPathOf(scan, 1, 0), second as Buffer);

    expect((await store.committed(scan)).observedAssets).toBe(5);
  });
});

describe('Two replicas (architecture: shared work)', () => {
  const replicas = [replicaOfBlock(), replicaOfBlock()] as const;

  it('assemble each scan once, and each answers for what the other saved', async () => {
    const [one, two] = [replicas[0](), replicas[1]()];
    const scans = Array.from({ length: 30 }, (_, at) =>
      newScan({ scope: newScope(), pages: [plainPage(0, 2 + at)] }),
    );

    await Promise.all(
      scans.map(async (scan, at) => {
        await (at % 2 ? one : two).client.stage(scan);
        await store.complete(scan);
      }),
    );

    for (const scan of scans) {
      const saved = await store.committed(scan);
      for (const { client } of [one, two]) {
        expect((await client.page(scan.scope)).meta.revisionId).toBe(saved.revisionId);
      }
      const bodies = new Set(store.outcomesOf(scan).map(({ body }) => JSON.stringify(body)));
      expect(bodies.size).toBe(1);
    }
    const scopes = scans.map(({ scope }) => inventoryKeyText(scope));
    const ofThem = { scope: { $in: scopes } };
    expect(await store.collections.assetBlocks.countDocuments(ofThem)).toBe(30);
  });

  it('bring ten scans of one inventory into one line: the newest is what Current reads', async () => {
    const [one, two] = [replicas[0](), replicas[1]()];
    const scope = newScope();
    const startMs = Date.now();
    const scans = Array.from({ length: 10 }, (_, at) =>
      newScan({ scope, pages: [plainPage(0, 1 + at)], completedAtMs: startMs + at }),
    );

    await Promise.all(
      scans.map(async (scan, at) => {
        await (at % 2 ? one : two).client.stage(scan);
        await store.complete(scan);
      }),
    );

    await Promise.all(scans.map((scan) => store.committed(scan)));
    expect((await one.client.page(scope)).meta.totalCount).toBe(10);
  });
});

describe('A scan whose collector has a fast clock (Refresh: verified_at)', () => {
  const clock = createTestClock(Date.now());
  const running = replicaOfBlock({ clock });
  const dayMs = 86_400_000;

  it('was observed when the store received it', async () => {
    const scope = newScope();
    const saved = await running().save({
      scope,
      pages: [plainPage(0, 3)],
      startedAtMs: clock.now() + dayMs - 5_000,
      completedAtMs: clock.now() + dayMs,
    });

    const receivedAtMs = clock.now();
    expect((await running().client.page(scope)).meta).toMatchObject({
      observationId: saved.observationId,
      verifiedAtMs: receivedAtMs,
      scanWindow: { startedAtMs: receivedAtMs, completedAtMs: receivedAtMs },
    });
  });
});

describe('On a clock of the test', () => {
  const clock = createTestClock(Date.now());
  const running = replicaOfBlock({ clock, assembly: { missingPagesWaitMs: 60_000 } });

  it('an internal fault in every try rejects the scan, so that its refresh terminates', async () => {
    const replica = running();
    const scope = newScope();
    const head = await replica.save({
      scope,
      pages: [plainPage(0, 3)],
      completedAtMs: clock.now(),
    });
    await store.collections.assetBlocks.deleteOne({ set: head.revisionId });
    const scan = newScan({
      scope,
      pages: [plainPage(0, 3)],
      language: 'german',
      completedAtMs: clock.now(),
    });
    await replica.client.stage(scan);
    await store.complete(scan);
    const tried = (times: number) =>
      waitFor(`try ${times} has failed`, async () => {
        const { work } = (await store.collections.scans.findOne({ _id: scan.scanId })) ?? {};
        const isPostponed = (work?.dueAtMs ?? 0) < clock.now() + 60_000;
        if (work?.tries === times && isPostponed) return true;
        // A replica that has failed leaves the next checks to others.
        await wakeReplicas();
        return false;
      });
    for (let times = 1; times <= 6; times += 1) {
      await tried(times);
      expect(store.outcomesOf(scan)).toEqual([]);
      clock.advance(30_000);
    }

    expect((await store.rejected(scan)).reason).toBe('invalid_pages');
  });

  it.each(['is not there', 'has another digest'])(
    'a scan is rejected when a chunk of it %s for a minute (architecture: 60 s, then rejected)',
    async (what) => {
      const replica = running();
      const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
      if (what !== 'is not there') {
        await replica.client.putChunk(chunkPathOf(scan, 0, 0), Buffer.from('{}'));
      }
      await store.complete(scan);
      const isMissing = () =>
        waitFor('a try found it missing', async () => {
          const { work } = (await store.collections.scans.findOne({ _id: scan.scanId })) ?? {};
          return work?.owner && work.tries === 0 && work.dueAtMs > clock.now();
        });
      await isMissing();
      clock.advance(59_000);
      await isMissing();
      expect(store.outcomesOf(scan)).toEqual([]);

      clock.advance(1_001);

      expect((await store.rejected(scan)).reason).toBe('missing_pages');
      expect((await replica.client.page(scan.scope)).status).toBe(404);
    },
  );
});
