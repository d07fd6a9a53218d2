import type { RefreshId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { isoTime } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newAccountId, newProjectId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { seededRandom } from '@inventory/testkit/seeded-random';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import type { Db } from 'mongodb';
import { standardDeadlines } from '../src/deadlines.ts';
import { putWatch } from '../src/watches/manage-watches.ts';
import { type RunWatchDeps, runWatch, type WatchStanding } from '../src/watches/run-watch.ts';
import { dayOf, type Watch } from '../src/watches/watch.domain.ts';
import { createWatchStore, watchCollection, watchIndexes } from '../src/watches/watch-store.ts';
import { viewOf } from './support/fake-collector.ts';
import { firstPrices } from './support/fake-ledger-reads.ts';

type Request = MessageBody<'refresh.request.v1'>;

let db: Db;
let close: () => Promise<void>;
beforeAll(async () => {
  const mongo = await openTestStore('watch_turns');
  db = mongo.db;
  close = () => mongo.close();
  await ensureIndexes(db, [watchIndexes]);
});
afterAll(() => close());

const claimMs = 30_000;
const closedDoor: RefreshRefusal = {
  code: 'product_unavailable',
  detail: { admission_state: 'closed', reason: 'operator_closed' },
  retry_after_seconds: 60,
};
type Death = 'before_reply' | 'before_write' | 'after_write';

/** A watch, the collector that its runs are requested of, and replicas that die. */
async function openStage({ maxCreditsPerDay = null as number | null, everySeconds = 300 } = {}) {
  const clock = createTestClock(Date.UTC(2026, 10, 26, 12));
  const watches = createWatchStore(db, testLogger);
  const refreshes = new Map<RefreshId, { view: RefreshView; atMs: number; charged: number }>();
  const requests: Request[] = [];
  const outbox = new Map<string, OutgoingMessage>();
  const stage = {
    clock,
    watches,
    refreshes,
    requests,
    /** What is published, each message once however often it is sent. */
    published: outbox,
    refusal: null as RefreshRefusal | null,
    standing: 'active' as WatchStanding,
    dies: null as Death | null,
    /** No decision arrives. */
    isUndecided: false,
  };
  const die = (at: Death) => {
    if (stage.dies === at) throw new Error('killed');
  };

  function decide(request: Request) {
    requests.push(request);
    const stored = refreshes.get(request.refresh_id);
    const refused = stage.refusal !== null && !stored;
    if (!stored && !refused) {
      refreshes.set(request.refresh_id, { view: viewOf(request), atMs: clock.now(), charged: 0 });
    }
    return refused
      ? ({ decision: 'refused', refusal: stage.refusal } as const)
      : ({
          decision: 'accepted',
          price_version: 1,
          credits_reserved: 125,
          deadline_at: isoTime(clock.now() + 1_800_000),
          retry_after_seconds: 1,
        } as const);
  }

  const deps: RunWatchDeps = {
    watches: {
      async endTurn(...args) {
        die('before_write');
        const ended = await watches.endTurn(...args);
        die('after_write');
        return ended;
      },
    },
    standingOf: async () => stage.standing,
    prices: { readPrices: async () => firstPrices },
    funds: { recheckFunds: async () => null, recordRefusal: () => {} },
    collector: { findRefresh: async (id) => refreshes.get(id)?.view ?? null },
    commands: {
      async request(command) {
        const { body } = command as { body: Request };
        const decision = decide(body);
        die('before_reply');
        if (stage.isUndecided) return { result: 'unknown', cause: 'no reply' } as never;
        const reply = { waiting_id: 'w', refresh_id: body.refresh_id, ...decision };
        return { result: 'reply', body: reply } as never;
      },
    } as RunWatchDeps['commands'],
    sendFromOutbox: async (_place, messages) => {
      for (const message of messages) outbox.set(message.id, message);
    },
    clock,
    logger: testLogger,
    decisionTimeoutMs: 10_000,
    deadlines: standardDeadlines,
  };
  const owner = { accountId: newAccountId(), projectId: newProjectId(), scope: newScope() };
  const managing = {
    watches,
    clock,
    identifiers: systemIdentifiers,
    watchesMax: 10,
    savedAssets: async () => null,
  };
  const wanted = { ...owner, every_seconds: everySeconds, language: 'english' as const };
  const put = () => putWatch(managing, { ...wanted, max_credits_per_day: maxCreditsPerDay });
  const made = await put();
  const find = async () => (await watches.findWatch(owner.projectId, owner.scope)) as Watch;

  return Object.assign(stage, {
    made: made.watch,
    put,
    find,
    /** The turn that is due, if any; its replica may die in it. */
    async turn(): Promise<void> {
      const due = await watches.turns.findDue(clock.now(), 100);
      const pending = due.find(({ item }) => item.id === made.watch.id);
      if (!pending) return;
      const claimed = await watches.turns.claim(pending, 'replica', clock.now() + claimMs);
      if (claimed) await runWatch(deps, claimed).catch(() => {});
    },
    /** To the next time at which the watch has a turn. */
    async toNextTurn(): Promise<void> {
      const { nextRunAtMs } = await find();
      clock.advance(Math.max(claimMs + 1, nextRunAtMs - clock.now() + 1));
    },
    /** What the outbox of the watch has, as any replica sends it. */
    async flush(): Promise<void> {
      const stored = await db.collection(watchCollection).findOne({ watchId: made.watch.id });
      for (const message of (stored?.['outbox'] ?? []) as OutgoingMessage[]) {
        outbox.set(message.id, message);
      }
    },
    end(charged: number, outcome: 'complete_changed' | 'private' = 'complete_changed'): void {
      for (const [id, one] of refreshes) {
        if (one.view.record.state === 'completed') continue;
        const billing = { ...one.view.record.billing, credits_charged: charged };
        const completed_at = isoTime(clock.now());
        const record = { ...one.view.record, state: 'completed' as const, outcome, completed_at };
        refreshes.set(id, {
          ...one,
          charged,
          view: { ...one.view, record: { ...record, billing } },
        });
      }
    },
  });
}

test('a watch above the limit is withdrawn, unless another request was answered with it meanwhile (watch_limit_exceeded) [watches]', async () => {
  const watches = createWatchStore(db, testLogger);
  const owner = { accountId: newAccountId(), projectId: newProjectId() };
  const deps = {
    ...{ clock: createTestClock(0), identifiers: systemIdentifiers },
    savedAssets: async () => null,
  };
  const wanted = { ...owner, language: 'english', max_credits_per_day: null } as const;
  const [watched, rival] = [newScope(), newScope()];
  /** As if it had been counted before the other was inserted. */
  const putRival = () =>
    putWatch({ ...deps, watches, watchesMax: 2 }, { ...wanted, scope: rival, every_seconds: 300 });
  const putWith = (between: () => Promise<unknown>) => {
    const insertWatch = async (watch: Watch) => {
      const inserted = await watches.insertWatch(watch);
      await between();
      return inserted;
    };
    const of = { ...wanted, scope: watched, every_seconds: 300 };
    return putWatch({ ...deps, watches: { ...watches, insertWatch }, watchesMax: 1 }, of);
  };

  await expect(putWith(putRival)).rejects.toMatchObject({
    refusal: { code: 'watch_limit_exceeded' },
  });
  expect(await watches.findWatch(owner.projectId, watched)).toBeNull();

  await watches.deleteWatch(owner.projectId, rival);
  const { status } = await putWith(async () => {
    await putRival();
    const again = { ...wanted, scope: watched, every_seconds: 600 };
    expect((await putWatch({ ...deps, watches, watchesMax: 1 }, again)).status).toBe(200);
  });
  expect(status).toBe(200);
  expect(await watches.findWatch(owner.projectId, watched)).not.toBeNull();
});

const openRuns = (stage: Awaited<ReturnType<typeof openStage>>) =>
  [...stage.refreshes.values()].filter(({ view }) => view.record.state !== 'completed').length;

describe('a turn of a watch (Watches) [watch-runs]', () => {
  test('requests its run at its time, with its id, hold and language, and not before', async () => {
    const stage = await openStage();
    await stage.turn();
    expect(stage.requests).toEqual([]);

    await stage.toNextTurn();
    await stage.turn();

    const { made } = stage;
    expect(stage.requests).toMatchObject([
      { watch_id: made.id, scope: made.scope, max_credits: 125, idempotency_key: null },
    ]);
    const watch = await stage.find();
    expect(watch.run).toMatchObject({ refreshId: stage.requests[0]?.refresh_id, isOpen: true });
    expect(watch.nextRunAtMs).toBeGreaterThan(stage.clock.now());
  });

  test.each(['before_reply', 'before_write', 'after_write'] as const)(
    'whose replica dies %s has its run once',
    async (death) => {
      const stage = await openStage();
      await stage.toNextTurn();
      stage.dies = death;
      await stage.turn();
      stage.dies = null;
      stage.clock.advance(claimMs + 1);
      await stage.turn();

      expect(stage.refreshes.size).toBe(1);
      expect((await stage.find()).run?.refreshId).toBe([...stage.refreshes.keys()][0]);
    },
  );

  test('is skipped while its last run is open, and never two are; it runs again once that has ended', async () => {
    const stage = await openStage();
    for (let turn = 0; turn < 4; turn += 1) {
      await stage.toNextTurn();
      await stage.turn();
    }
    expect(stage.requests).toHaveLength(1);

    stage.end(3);
    await stage.toNextTurn();
    await stage.turn();
    expect(stage.requests).toHaveLength(2);
    expect(await stage.find()).toMatchObject({ recent: { runs: 1, credits: 3 } });
  });

  test('is skipped, not queued, while admission is closed', async () => {
    const stage = await openStage();
    stage.refusal = closedDoor;
    for (let turn = 0; turn < 3; turn += 1) {
      await stage.toNextTurn();
      await stage.turn();
    }
    stage.refusal = null;
    await stage.toNextTurn();
    await stage.turn();

    expect(stage.refreshes.size).toBe(1);
    expect(stage.published.size).toBe(0);
  });

  test('is not had by a changed watch under another id while its run may be on its way', async () => {
    const stage = await openStage();
    await stage.toNextTurn();
    stage.dies = 'before_write';
    await stage.turn();
    stage.dies = null;
    await stage.put();
    stage.clock.advance(claimMs + 1);
    await stage.turn();

    expect(stage.refreshes.size).toBe(1);
  });

  test('that stays undecided is repeated under one id, then recorded: no other is made beside it', async () => {
    const stage = await openStage();
    await stage.toNextTurn();
    stage.isUndecided = true;
    for (let turn = 0; turn < 8; turn += 1) {
      await stage.turn();
      stage.clock.advance(130_000);
    }
    stage.isUndecided = false;
    await stage.toNextTurn();
    await stage.turn();

    expect(stage.refreshes.size).toBe(1);
    expect(openRuns(stage)).toBe(1);
    expect((await stage.find()).run?.refreshId).toBe([...stage.refreshes.keys()][0]);
  });

  test('comes later after each answer that was private', async () => {
    const stage = await openStage();
    const times: number[] = [];
    for (let turn = 0; turn < 24; turn += 1) {
      const before = stage.refreshes.size;
      await stage.toNextTurn();
      await stage.turn();
      if (stage.refreshes.size > before) times.push(stage.clock.now());
      stage.end(1, 'private');
    }
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.length).toBeGreaterThan(3);
    expect(pauses.slice(0, 4)).toEqual(pauses.slice(0, 4).toSorted((a, b) => a - b));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(86_400_000 * 1.1);
  });
});

describe('a pause (Watches) [watches]', () => {
  const noFunds: RefreshRefusal = {
    code: 'insufficient_credits',
    detail: { required: 125, available: 3 },
  };

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
    'by %s has one event, however often its turn is repeated, and ends by itself',
    async (reason, refusal) => {
      const stage = await openStage();
      stage.refusal = refusal;
      for (const death of ['before_write', 'after_write', null, null] as const) {
        await stage.toNextTurn();
        stage.dies = death;
        await stage.turn();
        await stage.flush();
      }
      expect(await stage.find()).toMatchObject({ pausedReason: reason });
      expect([...stage.published.values()]).toMatchObject([
        { type: 'watch.paused.v1', body: { watch_id: stage.made.id, reason } },
      ]);

      stage.refusal = null;
      await stage.toNextTurn();
      await stage.turn();
      expect(await stage.find()).toMatchObject({ pausedReason: null, run: { isOpen: true } });
    },
  );

  test.each(['owner_suspended', 'permission_removed'] as const)(
    'by %s requests nothing, and ends with its reason',
    async (standing) => {
      const stage = await openStage();
      stage.standing = standing;
      await stage.toNextTurn();
      await stage.turn();
      expect(await stage.find()).toMatchObject({ pausedReason: standing });
      expect(stage.requests).toEqual([]);

      stage.standing = 'active';
      await stage.toNextTurn();
      await stage.turn();
      expect(stage.requests).toHaveLength(1);
    },
  );

  test('is looked at soon again also where admission is closed meanwhile, however long the period', async () => {
    const stage = await openStage({ everySeconds: 604_800 });
    stage.refusal = noFunds;
    await stage.toNextTurn();
    await stage.turn();
    stage.refusal = closedDoor;
    await stage.toNextTurn();
    await stage.turn();

    const { nextRunAtMs } = await stage.find();
    expect(nextRunAtMs - stage.clock.now()).toBeLessThanOrEqual(900_000);
  });

  test('ends by PUT, at once', async () => {
    const stage = await openStage();
    stage.refusal = noFunds;
    await stage.toNextTurn();
    await stage.turn();
    stage.refusal = null;

    expect((await stage.put()).watch.pausedReason).toBeNull();
    stage.clock.advance(2_000);
    await stage.turn();
    expect(stage.refreshes.size).toBe(1);
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
    for (let turn = 0; turn < 60; turn += 1) {
      await stage.toNextTurn();
      stage.dies = deaths[Math.floor(random() * deaths.length)] ?? null;
      await stage.turn();
      expect(openRuns(stage)).toBeLessThanOrEqual(1);
      if (random() < 0.8) stage.end(Math.floor(random() * 126));
    }
    stage.end(0);
    const byDay = Map.groupBy(stage.refreshes.values(), ({ atMs }) => dayOf(atMs));
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
