import { scopeKey } from '@inventory/contracts/scope';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { fromCompletedMessage } from '../src/consumers/convert.ts';
import { createScanQueue } from '../src/storage/scan-queue.ts';
import { createScanStore } from '../src/storage/scan-store.ts';
import { createScopeStore } from '../src/storage/scope-store.ts';
import { completedMessage, newScan, plainPage, type Scan } from './support/scan-builder.ts';
import { placeOf } from './support/store-client.ts';
import { openStoreUnderTest, type StoreUnderTest } from './support/store-under-test.ts';

let store: StoreUnderTest;

beforeEach(async () => {
  store = await openStoreUnderTest();
});
afterEach(() => store.close());

const stores = () => ({
  scans: createScanStore(store.collections.scans),
  queue: createScanQueue(store.collections.scans),
  scopes: createScopeStore(store.collections.scopes),
});

/** Does what a worker does up to a point, and then nothing any more, as after kill -9. */
async function crashedWorker(scan: Scan) {
  const { scans, queue, scopes } = stores();
  const nowMs = systemClock.now();
  const untilMs = nowMs + 600_000;
  await scans.receive({
    scan: fromCompletedMessage(completedMessage(scan)),
    trace: {},
    nowMs,
    claimedUntilMs: untilMs,
  });
  const token = systemIdentifiers.uuidV7();
  const lease = await scopes.acquire({ scopeKey: scopeKey(scan.scope), token, nowMs, untilMs });
  if (!lease) throw new Error('no lease');
  const scopeLeaseEnds = () => scopes.renew(lease, systemClock.now());
  /** As when their time runs out, and only once the worker has done what it was to do. */
  const leasesEnd = async () => {
    await scopeLeaseEnds();
    await queue.extend(scan.scanId, systemClock.now());
  };
  return { lease, scopeLeaseEnds, leasesEnd, ...stores() };
}

const result = {
  result: 'committed',
  revisionId: 'invrev_01900000-0000-7000-8000-000000000000',
  observationId: 'invobs_01900000-0000-7000-8000-000000000000',
  changed: true,
  observedAssets: 1,
} as const;

describe('A scan whose worker crashed (architecture: leases with a growing epoch)', () => {
  it('is assembled by another once the lease has run out; the old worker can change nothing', async () => {
    const replica = await store.start();
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await replica.client.stage(scan);
    const crashed = await crashedWorker(scan);
    expect(await crashed.scans.beginCommit(scan.scanId)).toBe(true);
    await crashed.leasesEnd();

    const saved = await store.committed(scan);

    const { scanId, refreshId } = scan;
    const stale = { head: null, decided: { scanId, refreshId, result }, pruneAtMs: 0 };
    expect(await crashed.scopes.moveHead(crashed.lease, stale)).toBe(false);
    expect(await crashed.scopes.renew(crashed.lease, systemClock.now() + 1e6)).toBe(false);
    expect((await replica.client.page(scan.scope)).meta.revision_id).toBe(saved.revision_id);
    const told = store.outcomesOf(scan).map(({ id, body }) => JSON.stringify([id, body]));
    expect(new Set(told).size).toBe(1);
  });

  it('after its head moved is told of with the result that stands beside the head', async () => {
    const replica = await store.start();
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await replica.client.stage(scan);
    const crashed = await crashedWorker(scan);
    await crashed.scans.beginCommit(scan.scanId);
    const { scanId, refreshId } = scan;
    const move = { head: null, decided: { scanId, refreshId, result }, pruneAtMs: 0 };
    expect(await crashed.scopes.moveHead(crashed.lease, move)).toBe(true);
    await crashed.leasesEnd();

    expect(await store.committed(scan)).toMatchObject({ observation_id: result.observationId });
  });

  it('after its head moved is told of also when another scan comes first', async () => {
    const scope = newScope();
    const replica = await store.start();
    const scan = newScan({ scope, pages: [plainPage(0, 3)] });
    const crashed = await crashedWorker(scan);
    await crashed.scans.beginCommit(scan.scanId);
    const { scanId, refreshId } = scan;
    const move = { head: null, decided: { scanId, refreshId, result }, pruneAtMs: 0 };
    expect(await crashed.scopes.moveHead(crashed.lease, move)).toBe(true);
    await crashed.scopeLeaseEnds();
    // Its own turn does not come; only the next scan of the inventory does.
    await crashed.queue.postpone(scanId, systemClock.now() + 3_600_000, true);

    await replica.save({ scope, pages: [plainPage(0, 4)] });

    expect(await store.committed(scan)).toMatchObject({ observation_id: result.observationId });
  });

  it('leaves no blocks behind', async () => {
    const replica = await store.start();
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    await replica.client.stage(scan);
    const crashed = await crashedWorker(scan);
    const orphan = { scope: scopeKey(scan.scope), set: 'invrev_orphan', index: 0 };
    await store.collections.assetBlocks.insertOne({ _id: 'invrev_orphan/0', ...orphan } as never);
    await crashed.leasesEnd();

    const saved = await store.committed(scan);

    await waitFor('the orphaned block is pruned', async () => {
      const sets = await store.collections.assetBlocks.distinct('set');
      return sets.length === 1 && sets[0] === saved.revision_id;
    });
  });
});

describe('A service that is told to stop', () => {
  it('gives the scan it is assembling to another at once, long before its lease runs out', async () => {
    const first = await store.start({ assembly: { leaseMs: 600_000 } });
    const pages = Array.from({ length: 100 }, (_, page) =>
      plainPage(page * 2_000, page * 2_000 + 2_000),
    );
    const scan = newScan({ scope: newScope(), pages });
    await first.client.stage(scan);
    await store.complete(scan);
    await waitFor(
      'it is being assembled',
      async () => (await store.collections.assetBlocks.countDocuments()) > 0,
    );

    await first.stop();
    expect(store.outcomesOf(scan)).toEqual([]);
    const second = await store.start({ assembly: { leaseMs: 600_000 } });

    expect((await store.committed(scan)).observed_assets).toBe(200_000);
    expect((await second.client.page(scan.scope, { position: 198_000 })).assets).toHaveLength(
      2_000,
    );
  });
});

describe('A fault of ours', () => {
  it('that every try meets ends the scan, so that its refresh does not wait for ever', async () => {
    const clock = createTestClock(Date.now());
    const replica = await store.start({ clock });
    const scope = newScope();
    const head = await replica.save({
      scope,
      pages: [plainPage(0, 3)],
      completedAtMs: clock.now(),
    });
    await store.collections.assetBlocks.deleteOne({ set: head.revision_id });
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
        const document = await store.collections.scans.findOne({ _id: scan.scanId });
        const isPutOff = (document?.dueAt?.getTime() ?? 0) < clock.now() + 15_000;
        return document?.claims === times && isPutOff;
      });
    for (let times = 1; times <= 5; times += 1) {
      await tried(times);
      expect(store.outcomesOf(scan)).toEqual([]);
      clock.advance(30_000);
    }

    expect((await store.rejected(scan)).reason).toBe('invalid_pages');
  });
});

describe('Two replicas (architecture: shared work)', () => {
  it('assemble each scan once, and each answers for what the other saved', async () => {
    const [one, two] = [await store.start(), await store.start()];
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
        expect((await client.page(scan.scope)).meta.revision_id).toBe(saved.revision_id);
      }
      const bodies = new Set(store.outcomesOf(scan).map(({ body }) => JSON.stringify(body)));
      expect(bodies.size).toBe(1);
    }
    expect(await store.collections.assetBlocks.countDocuments()).toBe(30);
  });

  it('bring ten scans of one inventory into one line: the newest is what Current reads', async () => {
    const [one, two] = [await store.start(), await store.start()];
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
    expect((await one.client.page(scope)).meta.total_count).toBe(10);
  });
});

describe('Abandoning (architecture: the scan document decides)', () => {
  it('races against completing: exactly one wins, and everybody hears the same', async () => {
    const replica = await store.start();
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
      const told = await waitFor('it is decided', () => {
        const outcomes = store.outcomesOf(scan);
        return outcomes.length > 0 && outcomes;
      });
      expect(new Set(told.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const { status } = await replica.client.page(scan.scope);
      expect(status).toBe(told[0]?.type === 'revision.committed.v1' ? 200 : 404);
    }
    const firstOrder = scans.filter((_, at) => at % 2 === 0);
    for (const scan of firstOrder) expect((await store.rejected(scan)).reason).toBe('abandoned');
  });

  it('after the commit began has no effect but that its outcome is told', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    const crashed = await crashedWorker(scan);
    expect(await crashed.scans.beginCommit(scan.scanId)).toBe(true);
    const replica = await store.start();
    await store.abandon(scan);
    await replica.client.stage(scan);
    await crashed.leasesEnd();

    expect((await store.committed(scan)).observed_assets).toBe(3);
  });

  it('before the commit makes the commit fail, and frees what was written for it', async () => {
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
    const crashed = await crashedWorker(scan);
    await store.collections.assetBlocks.insertOne({
      _id: 'invrev_orphan/0',
      scope: scopeKey(scan.scope),
      set: 'invrev_orphan',
      index: 0,
    } as never);
    await crashed.leasesEnd();
    await store.start();
    await store.abandon(scan);

    expect((await store.rejected(scan)).reason).toBe('abandoned');
    expect(await crashed.scans.beginCommit(scan.scanId)).toBe(false);
    await waitFor('its blocks are pruned', async () => {
      return (await store.collections.assetBlocks.countDocuments()) === 0;
    });
    await waitFor('nothing of the inventory is remembered', async () => {
      return (await store.collections.scopes.countDocuments()) === 0;
    });
  });
});

describe('Missing pages (architecture: 60 s, then rejected)', () => {
  it('are waited for: a chunk that comes late completes the scan', async () => {
    const replica = await store.start();
    const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3), plainPage(3, 5)] });
    const [first, second] = scan.pages.map((chunks) => chunks[0] as Buffer);
    await replica.client.putChunk(placeOf(scan, 0, 0), first as Buffer);
    await store.complete(scan);
    await waitFor('a first try found it missing', async () => {
      const document = await store.collections.scans.findOne({ _id: scan.scanId });
      return (document?.orderlyEnds ?? 0) > 0;
    });

    await replica.client.putChunk(placeOf(scan, 1, 0), second as Buffer);

    expect((await store.committed(scan)).observed_assets).toBe(5);
  });

  it.each(['is not there', 'has another digest'])(
    'reject the scan when a chunk %s for a minute',
    async (what) => {
      const clock = createTestClock(Date.now());
      const replica = await store.start({ clock });
      const scan = newScan({ scope: newScope(), pages: [plainPage(0, 3)] });
      if (what !== 'is not there') {
        await replica.client.putChunk(placeOf(scan, 0, 0), Buffer.from('{}'));
      }
      await store.complete(scan);
      const tried = (times: number) =>
        waitFor(`${times} tries found it missing`, async () => {
          const document = await store.collections.scans.findOne({ _id: scan.scanId });
          return (document?.orderlyEnds ?? 0) >= times;
        });
      await tried(1);
      clock.advance(59_000);
      await tried(2);
      expect(store.outcomesOf(scan)).toEqual([]);

      clock.advance(1_001);

      expect((await store.rejected(scan)).reason).toBe('missing_pages');
      expect((await replica.client.page(scan.scope)).status).toBe(404);
    },
  );
});
