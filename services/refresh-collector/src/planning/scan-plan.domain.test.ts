import { only } from '@inventory/testkit/only';
import type { IdentityLimits } from '../egress/egress-identity.domain.ts';
import type { PageCapacities } from './page-capacity.domain.ts';
import { busyScans, type PlanRules } from './plan-rules.domain.ts';
import type { QueueSnapshot, StartedScan } from './queue-snapshot.domain.ts';
import { createQueuedRefreshes, type QueuedRefresh } from './queued-refreshes.domain.ts';
import { planScans } from './scan-plan.domain.ts';

const minuteMs = 60_000;
const nowMs = 100 * minuteMs;
const inMinutes = (minutes: number) => nowMs + minutes * minuteMs;

const rules: PlanRules = {
  collectMs: 60 * minuteMs,
  queueMs: 30 * minuteMs,
  busyScans: 10,
  identities: 1,
  scansMax: 64,
  scansPerAccountMax: 16,
  share: 1,
  pagesMax: 125,
};

function capacityOf(
  pagesPerMinute: number,
  atMostPerMinute = pagesPerMinute,
  hopedPerMinute = pagesPerMinute,
): PageCapacities {
  const minutesUntil = (timeMs: number) => Math.max(0, (timeMs - nowMs) / minuteMs);
  const of = (perMinute: number) => ({
    until: (timeMs: number) => minutesUntil(timeMs) * perMinute,
    pagesPerMinute: perMinute,
  });
  return {
    expected: of(pagesPerMinute),
    hoped: of(hopedPerMinute),
    servesFromMs: nowMs,
    atMostUntil: (timeMs) => minutesUntil(timeMs) * atMostPerMinute,
  };
}

const typicalPages = 10;

/** Without a number of pages its size is unknown. */
const queued = (
  id: string,
  expectedPages: number | null,
  of: Partial<QueuedRefresh> = {},
): QueuedRefresh => ({
  id,
  accountId: id,
  inventory: `inventory of ${id}`,
  appId: 730,
  queueDeadlineMs: inMinutes(29),
  expectedPages,
  ...of,
});

const scan = (id: string, pagesLeft: number, of: Partial<StartedScan> = {}): StartedScan => ({
  id,
  accountId: id,
  inventory: `inventory of ${id}`,
  appId: 730,
  deadlineMs: inMinutes(60),
  pagesLeft,
  isSizeKnown: true,
  isReserved: true,
  parked: false,
  ...of,
});

interface Planned extends Partial<Omit<QueueSnapshot, 'queued'>> {
  readonly queued?: readonly QueuedRefresh[];
}

const plan = ({ queued: waiting, ...snapshot }: Planned, changed: Partial<PlanRules> = {}) =>
  planScans(
    {
      nowMs,
      capacity: capacityOf(1),
      queued: createQueuedRefreshes(waiting),
      typicalPages,
      isPostponed: () => false,
      scans: [],
      scanAllowance: () => 'all',
      lastStartMs: () => undefined,
      ...snapshot,
    },
    { ...rules, ...changed },
  );

describe('a scan starts', () => {
  it('only where its pages fit beside what runs before its deadline (Refresh: Deadlines)', () => {
    const scans = [scan('running', 20)];

    expect(plan({ scans, queued: [queued('fits', 40)] }).start).toEqual(['fits']);
    expect(plan({ scans, queued: [queued('does not', 41)] }).start).toEqual([]);
  });

  it('never on the pages promised to a refresh before it in the fair order', () => {
    const scans = [scan('running', 5)];
    const late = queued('late', 55, { queueDeadlineMs: inMinutes(30) });
    const before = queued('before', 40, { accountId: 'running' });
    const oneOfAnAccount = { scansPerAccountMax: 1 };

    expect(plan({ scans, queued: [late] }, oneOfAnAccount).start).toEqual(['late']);
    expect(plan({ scans, queued: [before, late] }, oneOfAnAccount).start).toEqual([]);
  });

  it('whatever is promised to a refresh after it in the fair order', () => {
    const larger = queued('larger', 65, { queueDeadlineMs: inMinutes(5) });
    const smaller = queued('smaller', 10);

    expect(plan({ queued: [larger, smaller] }).start).toEqual(['smaller']);
  });

  it('while fewer run than the replicas hold', () => {
    const many = ['a', 'b', 'c'].map((id) => queued(id, 1));

    expect(plan({ queued: many }, { scansMax: 2 }).start).toEqual(['a', 'b']);
  });

  it('for an account without one even when enough scans run to use every slot', () => {
    const scans = [scan('running', 1, { accountId: 'a' })];
    const more = [queued('more', 1, { accountId: 'a' }), queued('first', 1, { accountId: 'b' })];

    expect(plan({ scans, queued: more }, { busyScans: 1 }).start).toEqual(['first']);
  });

  it('in the last tenth of its time in the queue, however many run', () => {
    const scans = [scan('running', 1, { accountId: 'a' })];
    const late = queued('late', 1, { accountId: 'a', queueDeadlineMs: inMinutes(2) });

    expect(plan({ scans, queued: [late] }, { busyScans: 1 }).start).toEqual(['late']);
  });
});

describe('accounts', () => {
  it('are served round-robin by pages: none starves because of large refreshes queued before (Refresh: Deadlines)', () => {
    const large = ['large-1', 'large-2'].map((id) => queued(id, 125));

    const { start } = plan({ capacity: capacityOf(2.8), queued: [...large, queued('small', 40)] });

    expect(start).toEqual(['small', 'large-1']);
  });

  it('have one start each before any has two', () => {
    const of = (accountId: string, id: string) => queued(id, 30, { accountId });

    const { start } = plan({ queued: [of('a', 'a1'), of('a', 'a2'), of('b', 'b1')] });

    expect(start).toEqual(['a1', 'b1']);
  });

  it('with equal pages start in the order of their last starts', () => {
    const lastStartMs = new Map([
      ['a', 2],
      ['b', 1],
    ]);

    const { start } = plan({
      queued: [queued('a', 60), queued('b', 60)],
      lastStartMs: (accountId) => lastStartMs.get(accountId),
    });

    expect(start).toEqual(['b']);
  });

  it('read their refreshes in the order of the queue deadlines', () => {
    const of = (id: string, minutes: number) =>
      queued(id, 60, { accountId: 'a', queueDeadlineMs: inMinutes(minutes) });

    expect(plan({ queued: [of('later', 29), of('sooner', 20)] }).start).toEqual(['sooner']);
  });

  it('start the runs of watches after everything else, of every account and whatever their deadlines (Watches) [watch-runs]', () => {
    const run = (id: string, of: Partial<QueuedRefresh> = {}) =>
      queued(id, 10, { isWatch: true, queueDeadlineMs: inMinutes(5), ...of });
    const runs = [run('run-1', { accountId: 'a' }), run('run-2')];
    const others = [queued('a1', 20, { accountId: 'a' }), queued('b1', 25)];

    expect(plan({ queued: [...runs, ...others] }).start).toEqual(['a1', 'b1', 'run-2']);
    expect(plan({ queued: [...runs, queued('large', 60)] }).start).toEqual(['large']);
    expect(plan({ queued: [run('late', { queueDeadlineMs: nowMs })] }).start).toEqual([]);
  });

  it('keep to the most scans of one account', () => {
    const many = ['a1', 'a2', 'a3'].map((id) => queued(id, 1, { accountId: 'a' }));

    expect(plan({ queued: many }, { scansPerAccountMax: 2 }).start).toEqual(['a1', 'a2']);
  });
});

describe('an inventory', () => {
  it('has one scan at a time (Refresh: One scan at a time per inventory) [one-scan-at-a-time-per-inventory]', () => {
    const twice = ['first', 'second'].map((id) => queued(id, 1, { inventory: 'one' }));

    expect(plan({ queued: twice }).start).toEqual(['first']);
    const scans = [scan('running', 1, { inventory: 'one', parked: true })];
    expect(plan({ scans, queued: twice }).start).toEqual([]);
  });

  it('that is busy hides nothing else of its account, however many refreshes wait for it', () => {
    const accountId = 'a';
    const scans = [scan('running', 10, { accountId, inventory: 'busy' })];
    const waiting = Array.from({ length: 20 }, (_, index) =>
      queued(`waiting-${index}`, 125, { accountId, inventory: 'busy' }),
    );

    const other = queued('other', 40, { accountId, queueDeadlineMs: inMinutes(30) });

    const { start } = plan({ capacity: capacityOf(3), scans, queued: [...waiting, other] });

    expect(start).toEqual(['other']);
  });
});

describe('a refresh whose start failed', () => {
  it('is left out until it is tried again, and promised no page', () => {
    const bad = queued('bad', 40);
    const waiting = [bad, queued('next', 60)];
    const isPostponed = (id: string) => id === 'bad';

    expect(plan({ queued: waiting }).start).toEqual(['bad']);
    expect(plan({ queued: waiting, isPostponed }).start).toEqual(['next']);
  });
});

describe('scans of unknown size', () => {
  const unknown = (of: Partial<QueuedRefresh> = {}) =>
    ['a', 'b', 'c'].map((id) => queued(id, null, of));

  it('start together where each fits at the largest size: it can be completed whatever it reports', () => {
    expect(plan({ capacity: capacityOf(6), queued: unknown() }).start).toEqual(['a', 'b']);
  });

  it('start one at a time where they only fit at the expected size', () => {
    expect(plan({ queued: unknown() }).start).toEqual(['a']);
    const scans = [scan('running', 10, { isSizeKnown: false })];
    expect(plan({ scans, queued: unknown() }).start).toEqual([]);
  });

  it('start together at the expected size in the last tenth of their queue time', () => {
    const late = unknown({ queueDeadlineMs: inMinutes(2) });

    expect(plan({ queued: late }).start).toEqual(['a', 'b', 'c']);
  });

  it('start earlier the more first pages the queue has', () => {
    const many = Array.from({ length: 10 }, (_, index) =>
      queued(`r${index}`, 1, { accountId: 'a', queueDeadlineMs: inMinutes(19) }),
    );

    const { start } = plan({ queued: many }, { busyScans: 1 });

    expect(start).toHaveLength(10);
    const fewer = many.slice(0, 9);
    expect(plan({ queued: fewer }, { busyScans: 1 }).start).toHaveLength(1);
  });

  it('have the largest size reserved until their first page', () => {
    const capacity = capacityOf(3);
    const known = queued('known', 100);

    const running = (isSizeKnown: boolean) => [scan('running', 10, { isSizeKnown })];
    expect(plan({ capacity, scans: running(false), queued: [known] }).start).toEqual([]);
    expect(plan({ capacity, scans: running(true), queued: [known] }).start).toEqual(['known']);
  });

  it('start only where their first page can be read at once without breaking an earlier deadline', () => {
    const scans = [scan('tight', 30, { deadlineMs: inMinutes(30) })];

    expect(plan({ scans, queued: unknown() }).start).toEqual([]);
    expect(plan({ scans, queued: [queued('known', 10)] }).start).toEqual(['known']);
  });

  it('are neither parked nor ended because of an expected size', () => {
    const { park, end } = plan({ scans: [scan('running', 100, { isSizeKnown: false })] });

    expect([park, end]).toEqual([[], []]);
  });
});

describe('a scan whose first page reports more than was reserved', () => {
  const larger = scan('larger', 20, { isReserved: false });

  it('continues where that fits beside the reserved pages', () => {
    expect(plan({ scans: [scan('reserved', 40), larger] }).park).toEqual([]);
  });

  it('is parked where it does not, however much larger the reserved scans are', () => {
    expect(plan({ scans: [scan('reserved', 41), larger] }).park).toEqual(['larger']);
  });
});

describe('a started scan', () => {
  it('resumes as soon as its pages fit, the earliest deadline first', () => {
    const scans = [
      scan('later', 30, { parked: true, deadlineMs: inMinutes(50) }),
      scan('sooner', 30, { parked: true, deadlineMs: inMinutes(40) }),
    ];

    const { resume, end } = plan({ scans });

    expect([resume, end]).toEqual([['sooner'], []]);
  });

  it('is parked where capacity was lost, the largest first', () => {
    const scans = [scan('large', 50), scan('small', 30)];

    expect(plan({ scans }).park).toEqual(['large']);
  });

  it('is not parked for a page that may be on its way', () => {
    const capacity = capacityOf(1, 2);

    expect(plan({ capacity, scans: [scan('running', 61)] }).park).toEqual([]);
    expect(plan({ capacity, scans: [scan('running', 62)] }).park).toEqual(['running']);
  });

  it('ends when no capacity could complete it, and not before', () => {
    const capacity = capacityOf(1, 2);
    const scans = [scan('hopeless', 121, { parked: true }), scan('waits', 120, { parked: true })];

    const { end, resume } = plan({ capacity, scans });

    expect([end, resume]).toEqual([['hopeless'], []]);
  });

  it('and a queued refresh are overdue at their deadlines (Refresh: Deadlines)', () => {
    const scans = [scan('collecting', 1, { deadlineMs: nowMs })];
    const late = queued('late', 1, { queueDeadlineMs: nowMs });

    const { overdue, start, end } = plan({ scans, queued: [late] });

    expect([overdue, start, end]).toEqual([['late', 'collecting'], [], []]);
  });
});

describe('while the breaker of an application is open [application-breaker]', () => {
  const readsOf = (appId: number) => (appId === 440 ? 'none' : 'all');

  it('its scans are parked and its queued refreshes do not start', () => {
    const scans = [
      scan('running', 1, { appId: 440 }),
      scan('parked', 1, { appId: 440, parked: true }),
    ];
    const waiting = queued('waiting', 1, { appId: 440 });

    const { park, resume, start } = plan({ scans, queued: [waiting], scanAllowance: readsOf });

    expect([park, resume, start]).toEqual([['running'], [], []]);
  });

  it('one of its scans is resumed to probe it, and no queued refresh beside it', () => {
    const scans = [
      scan('first', 5, { appId: 440, parked: true, deadlineMs: inMinutes(20) }),
      scan('second', 5, { appId: 440, parked: true, deadlineMs: inMinutes(30) }),
    ];
    const waiting = queued('waiting', 1, { appId: 440 });

    const { resume, start } = plan({ scans, queued: [waiting], scanAllowance: () => 'one' });

    expect([resume, start]).toEqual([['first'], []]);
  });

  it('its pages and scans count for nothing: others start instead', () => {
    const accountId = 'a';
    const scans = [scan('running', 60, { appId: 440, accountId })];
    const waiting = queued('waiting', 90, { appId: 440, accountId });
    const other = queued('other', 60, { accountId });

    const { start } = plan(
      { scans, queued: [waiting, other], scanAllowance: readsOf },
      { scansPerAccountMax: 1, scansMax: 1 },
    );

    expect(start).toEqual(['other']);
  });

  it('its probe is one that can start, wherever it is in the queue', () => {
    const scans = [scan('running', 10, { inventory: 'busy' })];
    const waiting = [
      queued('too-large', 200, { appId: 440 }),
      queued('of-busy', 1, { appId: 440, inventory: 'busy' }),
      queued('fits', 5, { appId: 440 }),
      queued('second', 5, { appId: 440 }),
    ];

    const { start } = plan({
      scans,
      queued: waiting,
      scanAllowance: (appId) => (appId === 440 ? 'one' : 'all'),
    });

    expect(start).toEqual(['fits']);
  });
});

describe('while the identities are doubted', () => {
  /** A page an hour is expected; if they serve, one a minute. */
  const capacity = capacityOf(1 / 60, 1, 1);

  it('one refresh starts all the same, the first that they could complete', () => {
    const waiting = [queued('too-large', 61), queued('first', 40), queued('second', 20)];

    expect(plan({ capacity, queued: waiting })).toMatchObject({ start: ['second'], reserved: [] });
    expect(plan({ capacity, queued: waiting.slice(0, 2) }).start).toEqual(['first']);
    expect(plan({ capacity, queued: waiting.slice(0, 1) }).start).toEqual([]);
  });

  it('one running scan continues, and no other one runs beside it', () => {
    const scans = [
      scan('large', 50),
      scan('small', 30),
      scan('parked', 10, { parked: true, deadlineMs: inMinutes(30) }),
    ];

    const { park, resume, start } = plan({ capacity, scans, queued: [queued('waits', 5)] });

    expect([park, resume, start]).toEqual([['large'], [], []]);
  });

  it('a parked scan resumes before a queued refresh starts', () => {
    const scans = [scan('parked', 10, { parked: true })];

    const { resume, start } = plan({ capacity, scans, queued: [queued('waits', 5)] });

    expect([resume, start]).toEqual([['parked'], []]);
  });

  it('what fits runs, and nothing else', () => {
    const scans = [scan('parked', 10, { parked: true })];

    const { resume, start } = plan({ capacity, scans, queued: [queued('fits', 1)] });

    expect([resume, start]).toEqual([[], ['fits']]);
  });

  it('pages are free as if they served while nothing waits, and not while something does', () => {
    expect(plan({ capacity }).pagesFree).toBeCloseTo(90);
    expect(plan({ capacity, queued: [queued('waits', 5)] }).pagesFree).toBeLessThan(2);
  });
});

describe('the figures of the plan', () => {
  it('names urgent scans only while hardly any page is free before their deadline', () => {
    expect(plan({ scans: [scan('easy', 30)] }).urgentUntilMs).toBeNull();
    expect(plan({ scans: [scan('tight', 60)] }).urgentUntilMs).toBeGreaterThan(inMinutes(60));
  });

  it('counts pages reserved, waiting and free', () => {
    const scans = [scan('running', 20), scan('parked', 50, { parked: true })];

    expect(plan({ scans, queued: [queued('next', 10)] })).toMatchObject({
      pagesReserved: 20,
      pagesWaiting: 80,
      pagesFree: 60,
    });
  });

  it('takes twice as many scans as read at once to use the identities fully', () => {
    const limits = only<IdentityLimits>({ requestsPerMinute: 3 });
    expect(busyScans(20, limits, 1_000)).toBe(3);
    expect(busyScans(20, limits, 60_000)).toBe(41);
  });

  it('and twice as many as stage and record what was read: a page that is read fast is not waited for by the next scan', () => {
    const limits = only<IdentityLimits>({ requestsPerMinute: 60_000 });
    expect(busyScans(1, limits, 200)).toBe(3);
    expect(busyScans(1, limits, 20)).toBe(5);
    expect(busyScans(1, limits, 2)).toBe(23);
    expect(busyScans(1, limits, 0)).toBe(41);
  });
});
