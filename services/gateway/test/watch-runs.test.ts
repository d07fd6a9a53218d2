import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { Refused } from '@inventory/http/refused';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { newCredentialId, newProjectId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { seededRandom } from '@inventory/testkit/seeded-random';
import { openTestStore } from '@inventory/testkit/test-store';
import { type Db, MongoClient } from 'mongodb';
import { putWatch, setOperatorPause } from '../src/watches/manage-watches.ts';
import { utcDayOf } from '../src/watches/watch.domain.ts';
import { createWatchStore, watchCollection, watchIndexes } from '../src/watches/watch-store.ts';
import {
  claimMs,
  type Death,
  noFunds,
  openWatchStage,
  type WatchStage,
} from './support/watch-stage.ts';

let db: Db;
let close: () => Promise<void>;
beforeAll(async () => {
  const mongo = await openTestStore('watch_runs');
  db = mongo.db;
  close = () => mongo.close();
  await ensureIndexes(db, [watchIndexes]);
});
afterAll(() => close());

const openStage = (options?: Parameters<typeof openWatchStage>[1]) => openWatchStage(db, options);

const closedDoor: RefreshRefusal = {
  code: 'product_unavailable',
  detail: { admission_state: 'closed', reason: 'operator_closed' },
  retry_after_seconds: 60,
};

describe('a claim of a watch (Watches) [watch-runs]', () => {
  test('requests its run at its time, with its id, hold and language, and not before', async () => {
    const stage = await openStage();
    await stage.claim();
    expect(stage.requests).toEqual([]);

    await stage.toNextDueTime();
    await stage.claim();

    const { made } = stage;
    expect(stage.requests).toMatchObject([
      { watchId: made.watchId, scope: made.scope, maxCredits: 125, idempotencyKey: null },
    ]);
    const watch = await stage.find();
    expect(watch.run).toMatchObject({ refreshId: stage.requests[0]?.refreshId, isOpen: true });
    expect(watch.nextRefreshAtMs).toBeGreaterThan(stage.clock.now());
  });

  test.each(['in_transit', 'before_reply', 'before_write', 'after_write'] as const)(
    'whose replica dies %s has its run once',
    async (death) => {
      const stage = await openStage();
      await stage.toNextDueTime();
      stage.dies = death;
      await stage.claim();
      stage.dies = null;
      stage.clock.advance(claimMs + 1);
      await stage.claim();
      stage.deliver();

      expect(stage.refreshes.size).toBe(1);
      expect((await stage.find()).run?.refreshId).toBe([...stage.refreshes.keys()][0]);
    },
  );

  test('is skipped while its last run is open, and never two are; it runs again once that has ended', async () => {
    const stage = await openStage();
    for (let claim = 0; claim < 4; claim += 1) {
      await stage.toNextDueTime();
      await stage.claim();
    }
    expect(stage.requests).toHaveLength(1);

    stage.end(3);
    await stage.toNextDueTime();
    await stage.claim();
    expect(stage.requests).toHaveLength(2);
    expect(await stage.find()).toMatchObject({ recent: { runs: 1, credits: 3 } });
  });

  test('counts against the spend cap of the Credential that put its watch last (Spend cap per Credential) [credential-spend-cap]', async () => {
    const stage = await openStage();
    const credentialId = newCredentialId();
    await stage.put({ credentialId });
    await stage.toNextDueTime();
    await stage.claim();

    expect(stage.requests).toMatchObject([{ credentialId }]);
  });

  test('is skipped, not queued, while admission is closed', async () => {
    const stage = await openStage();
    stage.refusal = closedDoor;
    for (let claim = 0; claim < 3; claim += 1) {
      await stage.toNextDueTime();
      await stage.claim();
    }
    stage.refusal = null;
    await stage.toNextDueTime();
    await stage.claim();

    expect(stage.refreshes.size).toBe(1);
    expect(stage.published.size).toBe(0);
  });

  test('that stays undecided is repeated under one id, then recorded: no other is made beside it', async () => {
    const stage = await openStage();
    await stage.toNextDueTime();
    stage.isUndecided = true;
    for (let claim = 0; claim < 8; claim += 1) {
      await stage.claim();
      stage.clock.advance(130_000);
    }
    stage.isUndecided = false;
    await stage.toNextDueTime();
    await stage.claim();

    expect(stage.refreshes.size).toBe(1);
    expect(stage.openRuns()).toBe(1);
    expect((await stage.find()).run?.refreshId).toBe([...stage.refreshes.keys()][0]);
  });

  test('comes later after each answer that was private', async () => {
    const stage = await openStage();
    const times: number[] = [];
    for (let claim = 0; claim < 24; claim += 1) {
      const before = stage.refreshes.size;
      await stage.toNextDueTime();
      await stage.claim();
      if (stage.refreshes.size > before) times.push(stage.clock.now());
      stage.end(1, 'private');
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(3);
    expect(pauses.slice(0, 4)).toEqual(pauses.slice(0, 4).toSorted((a, b) => a - b));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(86_400_000 * 1.1);
  });
});

/** What happens between two claims of a due time, after a run of its watch that cost 100. */
const meanwhile: Readonly<Record<string, (stage: WatchStage) => unknown>> = {
  nothing: () => {},
  'a PUT of another period': ({ put }) => put({ everySeconds: 600 }),
  'a PUT of a daily limit that it exceeds': ({ put }) => put({ maxCreditsPerDay: 200 }),
  'its Project suspended': (stage) => Object.assign(stage, { eligibility: 'owner_suspended' }),
  'its permission removed': (stage) => Object.assign(stage, { eligibility: 'permission_removed' }),
  'other watches draining the account': (stage) => Object.assign(stage, { available: 0 }),
  'admission closed': (stage) => Object.assign(stage, { refusal: closedDoor }),
  'an election': (stage) => Object.assign(stage, { failingReads: 3 }),
  'a read that misses it': ({ requests, missed }) => requests.map((of) => missed.add(of.refreshId)),
};

/** A claim whose replica dies, with funds for one run more. */
async function openBrokenClaim(death: Death): Promise<WatchStage> {
  const stage = await openStage({ everySeconds: 900 });
  await stage.toNextDueTime();
  await stage.claim();
  stage.end(100);
  stage.available = 125;
  await stage.toNextDueTime();
  stage.dies = death;
  await stage.claim();
  return stage;
}

describe('a claim that is repeated (Watches) [watch-runs]', () => {
  const made = (['before_reply', 'before_write'] as const).flatMap((death) =>
    Object.keys(meanwhile).map((what) => [death, what] as const),
  );

  test.each(made)(
    'after its replica died %s finds its run first, with %s in between: no pause, no second run, its charge is counted',
    async (death, what) => {
      const stage = await openBrokenClaim(death);
      await meanwhile[what]?.(stage);
      await stage.claimUntilSettled();
      await stage.flush();

      expect(stage.refreshes.size).toBe(2);
      const watch = await stage.find();
      expect(watch.run).toMatchObject({ refreshId: stage.requests[1]?.refreshId, isOpen: true });
      expect([watch.pausedReason, stage.published.size]).toEqual([null, 0]);

      stage.end(7);
      await stage.toNextDueTime();
      await stage.claim();
      const { recent, spent } = await stage.find();
      expect([recent, spent.credits]).toEqual([{ runs: 2, credits: 107 }, 107]);
    },
  );

  test.each(Object.keys(meanwhile))(
    'has at most the one run of its due time where its request was in transit, with %s in between',
    async (what) => {
      const stage = await openBrokenClaim('in_transit');
      await meanwhile[what]?.(stage);
      await stage.claimUntilSettled();
      const { run, pausedReason } = await stage.find();
      const isRun = run?.refreshId === stage.requests[1]?.refreshId;
      stage.deliver();

      expect(stage.refreshes.size).toBe(isRun ? 2 : 1);
      expect(stage.openRuns()).toBe(isRun ? 1 : 0);
      expect(isRun && pausedReason !== null).toBe(false);
    },
  );

  test('pauses only once the request of an earlier try is known to make no run', async () => {
    const stage = await openBrokenClaim('in_transit');
    Object.assign(stage, { dies: null, eligibility: 'owner_suspended', isCut: true });
    for (let tries = 0; tries < 8; tries += 1) {
      stage.clock.advance(claimMs + 1);
      await stage.claim();
    }
    expect(await stage.find()).toMatchObject({ pausedReason: null });

    // It dies once more, after the cancel.
    Object.assign(stage, { isCut: false, dies: 'before_write' });
    stage.clock.advance(claimMs + 1);
    await stage.claim();
    await stage.claimUntilSettled();
    stage.deliver();
    expect(await stage.find()).toMatchObject({ pausedReason: 'owner_suspended' });
    expect([stage.openRuns(), stage.published.size]).toEqual([0, 1]);
  });

  test('makes no run beside a recorded one that a read misses; one that is never found ends', async () => {
    const stage = await openStage();
    await stage.toNextDueTime();
    await stage.claim();
    const [id] = stage.refreshes.keys();
    if (id) stage.missed.add(id);
    await stage.toNextDueTime();
    await stage.claim();
    await stage.claimUntilSettled();
    expect([stage.refreshes.size, stage.openRuns()]).toEqual([1, 1]);

    stage.refreshes.clear();
    await stage.toNextDueTime();
    await stage.claim();
    await stage.claimUntilSettled();
    expect(stage.openRuns()).toBe(1);
  });
});

describe('a PUT (Watches) [watches]', () => {
  test.each([null, 'in_transit', 'before_reply', 'before_write', 'after_write'] as const)(
    'that was read before a claim, which ends or dies (%s), moves no run that is being requested, also by a clock that is an hour slow',
    async (death) => {
      const stage = await openStage({ everySeconds: 86_400 });
      await stage.toNextDueTime();
      await stage.claim();
      stage.end(1);
      Object.assign(stage.managing, { clock: { now: () => stage.clock.now() - 3_600_000 } });
      // Not due for a day as the PUT reads it.
      const { status } = await stage.put({ everySeconds: 300 }, async () => {
        await stage.toNextDueTime();
        stage.dies = death;
        await stage.claim();
      });
      stage.dies = null;
      for (let claim = 0; claim < 3; claim += 1) {
        await stage.toNextDueTime();
        await stage.claim();
      }
      stage.deliver();

      expect([status, stage.refreshes.size]).toEqual([200, 2]);
      const { run, everySeconds } = await stage.find();
      expect(run?.refreshId).toBe([...stage.refreshes.keys()][1]);
      expect(everySeconds).toBe(300);
    },
  );

  test('by a clock that is behind never leads to the time of a run that was made', async () => {
    const stage = await openStage();
    stage.clock.advance(7_200_000);
    await stage.claim();
    Object.assign(stage.managing, { clock: { now: () => stage.clock.now() - 3_600_000 } });
    for (const every_seconds of [3_600, 300]) await stage.put({ everySeconds: every_seconds });

    const { nextRefreshAtMs, run } = await stage.find();
    expect(nextRefreshAtMs).toBeGreaterThan(run?.atMs ?? Number.POSITIVE_INFINITY);
  });

  test.each([
    [1, 2],
    [3, 8],
    [4, 4],
  ])(
    'of a new watch takes one of %i slots: of %i at once as many are answered 201, the others are stored at no time (watch_limit_exceeded)',
    async (watchesMax, puts) => {
      const { watches, managing, wanted } = await openStage();
      const projectId = newProjectId();
      const putAll = async (scopes: readonly InventoryKey[]) => {
        const deps = { ...managing, watchesMax };
        const responses = scopes.map((scope) =>
          putWatch(deps, { ...wanted, projectId, scope }).then(
            ({ status }) => status,
            (refused: Refused) => refused.refusal.code,
          ),
        );
        return (await Promise.all(responses)).toSorted();
      };
      const scopes = Array.from({ length: puts }, newScope);

      const statuses = await putAll(scopes);

      const refusals = Array(puts - watchesMax).fill('watch_limit_exceeded');
      expect(statuses).toEqual([...Array(watchesMax).fill(201), ...refusals]);
      const part = { projectId, state: undefined, after: null, limit: 100 };
      const kept = await watches.listWatches(part);
      expect(kept).toHaveLength(watchesMax);
      expect(await putAll(kept.map(({ scope }) => scope))).toEqual(Array(watchesMax).fill(200));

      // One that was put before there were slots counts.
      const older = await db
        .collection(watchCollection)
        .findOneAndDelete({ watchId: kept[0]?.watchId });
      const { slot: _slot, ...fields } = older as { slot?: number };
      await db.collection(watchCollection).insertOne(fields);
      expect(await putAll([newScope()])).toEqual(['watch_limit_exceeded']);
      if (kept[0]) await watches.deleteWatch(projectId, kept[0].scope);
      const last = newScope();
      expect(await putAll([last, last])).toEqual([200, 201]);
      await watches.deleteWatch(projectId, last);
      expect(await putAll([newScope(), newScope()])).toEqual([201, 'watch_limit_exceeded']);
    },
  );
});

test('a store that does not answer ends every request of a watch at its deadline (Watches) [watches]', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  const watches = createWatchStore(client.db('silent'), { storeMs: 20 }, testLogger);
  const { made } = await openStage();
  const { projectId, scope } = made;
  const read = { id: '', item: made, dueAtMs: 0, tries: 0, ownerBefore: null };
  const list = { projectId, state: undefined, after: null, limit: 1 };

  const responses = await Promise.allSettled([
    ...[watches.findWatch(projectId, scope), watches.listWatches(list)],
    ...[watches.findPending(projectId, scope), watches.deleteWatch(projectId, scope)],
    ...[watches.insertWatch(made, 3), watches.changeWatch(read, made)],
    watches.settleClaim(read, made, [], 0),
  ]);

  expect(responses).toMatchObject(
    responses.map(() => ({ status: 'rejected', reason: { name: 'DeadlineExceeded' } })),
  );
  await client.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

describe('a pause (Watches) [watches]', () => {
  test.each([
    ['insufficient_funds', noFunds],
    [
      'spend_cap_reached',
      {
        code: 'spend_cap_reached',
        detail: { cap: 5, spent: 5, resets_at: '2026-12-01T00:00:00.000Z' },
      },
    ],
  ] as const)(
    'by %s has one event, however often the watch is claimed, and ends by itself',
    async (reason, refusal) => {
      const stage = await openStage();
      stage.refusal = refusal;
      for (const death of ['before_write', 'after_write', null, null] as const) {
        await stage.toNextDueTime();
        stage.dies = death;
        await stage.claim();
        await stage.flush();
      }
      expect(await stage.find()).toMatchObject({ pausedReason: reason });
      expect([...stage.published.values()]).toMatchObject([
        { type: 'watch.paused.v1', body: { watchId: stage.made.watchId, reason } },
      ]);

      stage.refusal = null;
      await stage.toNextDueTime();
      await stage.claim();
      expect(await stage.find()).toMatchObject({ pausedReason: null, run: { isOpen: true } });
    },
  );

  test.each(['owner_suspended', 'permission_removed'] as const)(
    'by %s requests nothing, and ends with its reason',
    async (eligibility) => {
      const stage = await openStage();
      stage.eligibility = eligibility;
      await stage.toNextDueTime();
      await stage.claim();
      expect(await stage.find()).toMatchObject({ pausedReason: eligibility });
      expect(stage.requests).toEqual([]);

      stage.eligibility = 'active';
      await stage.toNextDueTime();
      await stage.claim();
      expect(stage.requests).toHaveLength(1);
    },
  );

  test('is checked soon again also where admission is closed meanwhile, however long the period', async () => {
    const stage = await openStage({ everySeconds: 604_800 });
    stage.refusal = noFunds;
    await stage.toNextDueTime();
    await stage.claim();
    stage.refusal = closedDoor;
    await stage.toNextDueTime();
    await stage.claim();

    const { nextRefreshAtMs } = await stage.find();
    expect(nextRefreshAtMs - stage.clock.now()).toBeLessThanOrEqual(900_000);
  });

  test('ends by PUT, at once', async () => {
    const stage = await openStage();
    stage.refusal = noFunds;
    await stage.toNextDueTime();
    await stage.claim();
    stage.refusal = null;

    expect((await stage.put()).watch.pausedReason).toBeNull();
    stage.clock.advance(2_000);
    await stage.claim();
    expect(stage.refreshes.size).toBe(1);
  });

  test('by an operator lasts until it is resumed, whatever its customer puts, has one event, and makes no run wherever replicas die', async () => {
    const stage = await openStage({ everySeconds: 604_800 });
    const { projectId, scope } = stage.made;
    await setOperatorPause(stage, { projectId, scope }, true);
    for (const death of ['before_write', 'after_write', null, null] as const) {
      await stage.toNextDueTime();
      stage.dies = death;
      await stage.claim();
      await stage.flush();
      await stage.put();
    }
    expect(await stage.find()).toMatchObject({ pausedReason: 'operator_paused', run: null });
    expect([...stage.published.values()]).toMatchObject([{ body: { reason: 'operator_paused' } }]);
    expect(stage.requests).toEqual([]);

    await setOperatorPause(stage, { projectId, scope }, false);
    stage.clock.advance(2_000);
    await stage.claim();
    expect(stage.requests).toHaveLength(1);
  });

  test('by the daily limit ends after midnight UTC; what is held and charged never exceeds it, wherever replicas die', async () => {
    const maxCreditsPerDay = 400;
    const stage = await openStage({ maxCreditsPerDay });
    const random = seededRandom(39);
    const deaths: readonly (Death | null)[] = [
      'before_reply',
      'before_write',
      'after_write',
      null,
      null,
    ];
    for (let claim = 0; claim < 60; claim += 1) {
      await stage.toNextDueTime();
      stage.dies = deaths[Math.floor(random() * deaths.length)] ?? null;
      await stage.claim();
      expect(stage.openRuns()).toBeLessThanOrEqual(1);
      if (random() < 0.8) stage.end(Math.floor(random() * 126));
    }
    stage.end(0);
    const byDay = Map.groupBy(stage.refreshes.values(), ({ atMs }) => utcDayOf(atMs));
    expect(byDay.size).toBeGreaterThan(1);
    for (const runs of byDay.values()) {
      const charged = runs.reduce((sum, one) => sum + one.charged, 0);
      expect(charged).toBeLessThanOrEqual(maxCreditsPerDay);
    }
    await stage.flush();
    const reasons = [...stage.published.values()].map(
      ({ body }) => (body as { reason: string }).reason,
    );
    expect(new Set(reasons)).toEqual(new Set(['daily_limit_reached']));
  });
});
