import {
  type Demand,
  expectedPagesOf,
  expectedReadMs,
  isCurrent,
  meanPagesOf,
  missingCapacity,
  noPlan,
  type PublishedPlan,
} from './published-plan.domain.ts';

const atMs = 1_000_000;

/** Ten pages a minute, and 300 waiting of 900 that can be read in time. */
const plan: PublishedPlan = {
  ...noPlan,
  atMs,
  pagesPerMinute: 10,
  pagesPerMinuteHoped: 10,
  servesFromMs: atMs,
  pagesWaiting: 300,
  pagesFree: 600,
  scanPagesMax: 500,
  typicalPages: 10,
  accounts: 2,
  busiest: [
    { accountId: 'busy', pages: 250, refreshes: 2 },
    { accountId: 'quiet', pages: 50, refreshes: 5 },
  ],
};

const demandOf = (accountId: string, demand: Partial<Demand> = {}): Demand => ({
  accountId,
  pages: plan.typicalPages,
  pagesSince: 0,
  accountPagesSince: 0,
  accountsRefused: 0,
  ...demand,
});

describe('capacity for one more refresh', () => {
  it('is there while its typical pages are free', () => {
    expect(missingCapacity(plan, demandOf('new'))).toBeNull();
    expect(missingCapacity({ ...plan, pagesFree: 10 }, demandOf('new'))).toBeNull();
  });

  it('is missing for all when its pages would not be read in time; Retry-After is when they are (Errors: product_unavailable) [product-unavailable]', () => {
    const full = { ...plan, pagesFree: 5 };

    expect(missingCapacity(full, demandOf('new'))).toEqual({ full: 'all', retryAfterSeconds: 30 });
  });

  it('counts what was admitted since the plan was made', () => {
    const demand = demandOf('new', { pagesSince: 600 });

    expect(missingCapacity(plan, demand)).toEqual({ full: 'all', retryAfterSeconds: 60 });
  });

  it('is missing for an account that has its part, and for no other one (Errors: outstanding_limit_exceeded) [outstanding-limit-of-an-account]', () => {
    const crowded = { ...plan, pagesWaiting: 480, pagesFree: 20 };
    const demand = demandOf('busy');

    expect(missingCapacity(crowded, demand)).toEqual({ full: 'account', retryAfterSeconds: 60 });
    expect(missingCapacity(crowded, demandOf('quiet'))).toBeNull();
    expect(missingCapacity(crowded, demandOf('new'))).toBeNull();
  });

  it('has no part per account while only one has pages', () => {
    const alone = {
      ...plan,
      accounts: 1,
      busiest: [{ accountId: 'busy', pages: 890, refreshes: 1 }],
    };

    expect(missingCapacity({ ...alone, pagesFree: 10 }, demandOf('busy'))).toBeNull();
  });

  it('leaves its part to each account that was turned away', () => {
    const alone = {
      ...plan,
      accounts: 1,
      busiest: [{ accountId: 'busy', pages: 500, refreshes: 1 }],
    };
    const demand = demandOf('busy', { accountsRefused: 1 });

    expect(missingCapacity(alone, demand)).toEqual({ full: 'account', retryAfterSeconds: 360 });
  });

  it('has a Retry-After of half an hour at most, whatever the estimate', () => {
    const slow = { ...plan, pagesFree: 0, pagesPerMinuteHoped: 0.1 };
    const stopped = { ...plan, pagesFree: 0, pagesPerMinuteHoped: 0 };

    expect(missingCapacity(slow, demandOf('new'))?.retryAfterSeconds).toBe(1_800);
    expect(missingCapacity(stopped, demandOf('new'))?.retryAfterSeconds).toBe(1_800);
  });

  it('has a Retry-After by the end of the pauses while the identities are doubted', () => {
    const doubted = { ...plan, pagesFree: 0, pagesPerMinute: 0.01, servesFromMs: atMs + 45_000 };

    expect(missingCapacity(doubted, demandOf('new'))?.retryAfterSeconds).toBe(45 + 60);
  });
});

describe('a refresh of known size', () => {
  it('has no capacity where only fewer pages are free', () => {
    const full = { ...plan, pagesFree: 20 };

    expect(missingCapacity(full, demandOf('new', { pages: 20 }))).toBeNull();
    expect(missingCapacity(full, demandOf('new', { pages: 125 }))).toEqual({
      full: 'all',
      retryAfterSeconds: 630,
    });
  });

  it('has none where a scan cannot read its pages in time, however much is free', () => {
    const demand = demandOf('new', { pages: 501 });

    expect(missingCapacity(plan, demand)).toEqual({
      full: 'scan',
      pagesMax: 500,
      retryAfterSeconds: 600,
    });
    expect(missingCapacity(plan, demandOf('new', { pages: 500 }))).toBeNull();
  });

  it.each([
    ['no scan can read in time, lately', 501, atMs, 501],
    ['no scan can read in time, after the Retry-After of the refusal', 501, atMs - 600_000, null],
    ['no scan can read in time, by a clock a day ahead', 501, atMs + 86_400_000, null],
    ['a scan can read, whenever it was', 500, 0, 500],
  ])('is expected to have the pages that %s', (_what, pages, scannedMs, expected) => {
    expect(expectedPagesOf({ pages, scannedMs }, plan, atMs)).toBe(expected);
  });

  it('has the size that was reported while nothing is planned, and none where none was', () => {
    expect(expectedPagesOf({ pages: 501, scannedMs: 0 }, noPlan, atMs)).toBe(501);
    expect(expectedPagesOf(null, plan, atMs)).toBeNull();
  });
});

describe('the expected completion', () => {
  it('is when the pages were read, accounts round-robin (Status: expected_completed_at)', () => {
    // Forty of its own, and as many of the busy one.
    expect(expectedReadMs(plan, 'new', 40, atMs)).toBe(atMs + (40 + 40 + 40) * 6_000);
    expect(expectedReadMs(plan, 'quiet', 100, atMs)).toBe(atMs + (100 + 100) * 6_000);
    expect(expectedReadMs(plan, 'busy', 100, atMs)).toBe(atMs + (100 + 50) * 6_000);
  });

  it('counts accounts that are not listed as having as much as the last that is', () => {
    expect(expectedReadMs({ ...plan, accounts: 4 }, 'busy', 100, atMs)).toBe(
      atMs + (100 + 50 + 2 * 50) * 6_000,
    );
  });

  it('takes other refreshes of an account for its mean, or for typical', () => {
    expect(meanPagesOf(plan, 'busy')).toBe(125);
    expect(meanPagesOf(plan, 'new')).toBe(plan.typicalPages);
  });

  it('is null without a current plan and without capacity', () => {
    const ages = [-30_001, -30_000, 30_000, 30_001];
    expect(ages.map((ageMs) => isCurrent(plan, atMs + ageMs))).toEqual([false, true, true, false]);
    expect(expectedReadMs(plan, 'new', 10, atMs + 30_001)).toBeNull();
    expect(expectedReadMs({ ...plan, pagesPerMinute: 0 }, 'new', 10, atMs)).toBeNull();
    expect(expectedReadMs(noPlan, 'new', 10, atMs)).toBeNull();
  });
});
