import {
  accountsInTurn,
  mayStartScan,
  pagesLeft,
  shareOfScans,
  type WaitingAccount,
} from './scan-turns.ts';

const rules = { scansPerAccountMax: 16, urgentMs: 60_000, scansMax: 64 };
const account = (accountId: string, fields: Partial<WaitingAccount> = {}): WaitingAccount => ({
  accountId,
  oldestQueueDeadlineMs: 1_800_000,
  queued: 1,
  runningScans: 0,
  lastTurnMs: 0,
  ...fields,
});
const order = (accounts: WaitingAccount[]) =>
  accountsInTurn(accounts, rules, 0).map(({ accountId }) => accountId);

describe('accountsInTurn', () => {
  it('serves whoever was served longest ago, so that a long queue delays no other account', () => {
    const busy = account('busy', { queued: 200, lastTurnMs: 900 });
    expect(order([busy, account('new'), account('earlier', { lastTurnMs: 100 })])).toEqual([
      'new',
      'earlier',
      'busy',
    ]);
  });

  it('serves whoever is about to miss a deadline first', () => {
    const late = account('late', { oldestQueueDeadlineMs: 30_000, lastTurnMs: 900 });
    expect(order([account('new'), late])).toEqual(['late', 'new']);
  });

  it('leaves out an account that runs as many scans as it may', () => {
    expect(order([account('full', { runningScans: 16 })])).toEqual([]);
  });
});

describe('shareOfScans', () => {
  it('leaves half of the work to the other of two replicas', () => {
    expect(shareOfScans([account('a', { queued: 10 })], 0, 2, rules)).toBe(5);
  });

  it('counts only what can run: 40 queued of one account are 16 scans', () => {
    expect(shareOfScans([account('a', { queued: 40 })], 0, 2, rules)).toBe(8);
  });

  it('is at least one and at most what a replica runs', () => {
    expect(shareOfScans([], 0, 5, rules)).toBe(1);
    const many = Array.from({ length: 50 }, (_, index) => account(`a${index}`, { queued: 16 }));
    expect(shareOfScans(many, 0, 1, rules)).toBe(64);
  });
});

describe('mayStartScan', () => {
  it('starts nothing while what runs fills half of what can be read before the deadline', () => {
    const capacity = { pagesPerSecond: 0.2, collectDeadlineMs: 3_600_000 };
    expect(mayStartScan(359, capacity)).toBe(true);
    expect(mayStartScan(360, capacity)).toBe(false);
  });
});

describe('pagesLeft', () => {
  it('is known from the reported total once the first page is read', () => {
    expect(pagesLeft(null, 2_000)).toBe(1);
    expect(pagesLeft({ pages: 0, reportedTotalCount: null }, 2_000)).toBe(1);
    expect(pagesLeft({ pages: 1, reportedTotalCount: 250_000 }, 2_000)).toBe(124);
  });
});
