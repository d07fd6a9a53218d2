import { newAccountId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { noEndCheck } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import { noPlan, type PublishedPlan } from './published-plan.domain.ts';
import { type EstimateBasis, estimateOf } from './status-estimate.domain.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

const quick = { pagesPerSecond: 100, burstPages: 0 };
const slow = { pagesPerSecond: 0.05, burstPages: 2 };

const scanOf = (reportedTotalCount: number) => ({
  epoch: 1,
  sequence: 1,
  startedAtMs: 0,
  completedAtMs: null,
  pages: 0,
  assetsRead: 0,
  reportedTotalCount,
  endCheck: noEndCheck,
  parked: false,
  worker: null,
});

const pending = acceptedRefresh({
  phase: 'collecting',
  accountId: newAccountId(),
  requestedAtMs: 0,
  collectDeadlineMs: 3_600_000,
});

const basisOf = (nowMs: number, plan: Partial<PublishedPlan> = {}): EstimateBasis => ({
  plan: { ...noPlan, ...plan },
  pace: slow,
  assetsPerPage: 1,
  before: 0,
  nowMs,
});

type Wait = (refresh: Parameters<typeof estimateOf>[0], basis: EstimateBasis) => number | null;
const obeyed: Wait = (refresh, basis) => estimateOf(refresh, basis).retryAfterSeconds;

/** The seconds at which a client reads that obeys Retry-After exactly, from acceptance on. */
function readTimes(course: Course, wait: Wait): number[] {
  const { durationSeconds, pages, before, pagesPerMinute } = course;
  const times: number[] = [];
  for (let now = 0; now < durationSeconds; times.push(now)) {
    const read = Math.floor(((before + pages) * now) / durationSeconds);
    const basis = basisOf(now * 1_000, { atMs: now * 1_000, pagesPerMinute });
    const phase = now === 0 ? 'accepted' : 'queued';
    const refresh: Refresh =
      read < before
        ? { ...pending, phase }
        : { ...pending, scan: { ...scanOf(pages), pages: read - before } };
    now += wait(refresh, { ...basis, before: Math.max(0, before - read) }) ?? 0;
  }
  return times;
}

interface Course {
  readonly durationSeconds: number;
  readonly pages: number;
  /** Refreshes of its account before it, of one page each. */
  readonly before: number;
  /** Of the plan, right or wrong. */
  readonly pagesPerMinute: number;
}

/** A refresh takes at least what the rate limits need for its pages and those ahead, and any time more. */
const scans = fc
  .record({
    pages: fc.integer({ min: 1, max: 125 }),
    before: fc.oneof(fc.constant(0), fc.nat(500)),
    extraSeconds: fc.nat(3_000),
    pagesPerMinute: fc.constantFrom(0, 0.1, 3, 1_000),
  })
  .map((course) => ({
    ...course,
    durationSeconds:
      Math.max(0, (course.before + course.pages - slow.burstPages) / slow.pagesPerSecond) +
      course.extraSeconds +
      0.5,
  }));

function checkLateness(wait: Wait, options: fc.Parameters<unknown>): void {
  fc.assert(
    fc.property(scans, (course) => {
      const { durationSeconds } = course;
      const readAt = readTimes(course, wait).at(-1) ?? 0;
      expect(readAt - durationSeconds).toBeLessThanOrEqual(Math.max(2, durationSeconds / 4));
    }),
    options,
  );
}

describe('Retry-After', () => {
  it('lets an obedient client see the completion within the larger of 2 s and a quarter of the duration (Refresh: Retry-After) [retry-after]', () => {
    checkLateness(obeyed, { numRuns: propertyRuns(2_000) });
  });

  it('is seen to break when it only follows a fixed pace', () => {
    expect(() => checkLateness(() => 10, faultRuns)).toThrow();
  });

  it('is seen to break when it waits for the expected completion, however late', () => {
    const trusting: Wait = (refresh, basis) => {
      const { expectedCompletedMs } = estimateOf(refresh, basis);
      const seconds = ((expectedCompletedMs ?? basis.nowMs) - basis.nowMs) / 1_000;
      return Math.min(60, Math.max(1, Math.floor(seconds)));
    };
    expect(() => checkLateness(trusting, faultRuns)).toThrow();
  });

  it('needs at most six reads for one page that takes up to eight seconds', () => {
    for (let durationSeconds = 0.5; durationSeconds <= 8; durationSeconds += 0.5) {
      const course = { durationSeconds, pages: 1, before: 0, pagesPerMinute: 1_000 };
      expect(readTimes(course, obeyed).length).toBeLessThanOrEqual(6);
    }
  });

  it('is at acceptance what the rate limits need for the refreshes ahead of it (Refresh: Retry-After at acceptance) [retry-after]', () => {
    const accepted: Refresh = { ...pending, phase: 'accepted' };
    const behind = (before: number) => obeyed(accepted, { ...basisOf(0), before });

    expect([0, 2, 3, 4, 5, 100].map(behind)).toEqual([1, 1, 25, 50, 60, 60]);
  });

  it('is the expected completion where that is sooner than what is safe', () => {
    const scan = { ...scanOf(10), pages: 4 };
    const basis = basisOf(400_000, { atMs: 400_000, pagesPerMinute: 6 });

    const estimate = estimateOf({ ...pending, scan }, { ...basis, pace: quick });

    expect(estimate).toEqual({ retryAfterSeconds: 60, expectedCompletedMs: 461_000 });
    const soon = { ...basis, plan: { ...basis.plan, pagesPerMinute: 7.2 } };
    expect(estimateOf({ ...pending, scan }, { ...soon, pace: quick })).toEqual({
      retryAfterSeconds: 51,
      expectedCompletedMs: 451_000,
    });
  });

  it.each(['completed', 'refused'] as const)('is absent once %s', (phase) => {
    expect(obeyed({ ...pending, phase }, basisOf(1_000))).toBeNull();
  });

  it('stays between 1 and 60 while pending', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(250), fc.nat(1_000), (nowMs, pages, before) => {
        const queued: Refresh = { ...pending, phase: 'queued', expectedPages: pages };
        const plan = { atMs: nowMs, pagesPerMinute: 10 };
        const seconds = obeyed(queued, { ...basisOf(nowMs, plan), before });
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(60);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('expected_completed_at', () => {
  const nowMs = 1_000_000;
  const plan = { atMs: nowMs, pagesPerMinute: 60, typicalPages: 10 };
  const expected = (
    refresh: Partial<Parameters<typeof estimateOf>[0]>,
    basis: Partial<EstimateBasis> = {},
  ) =>
    estimateOf({ ...pending, ...refresh }, { ...basisOf(nowMs, plan), ...basis })
      .expectedCompletedMs;
  const inSeconds = (seconds: number) => nowMs + seconds * 1_000;

  it('of a queued refresh follows from the pages its inventory is known to have, or typical ones', () => {
    expect(expected({ phase: 'queued', expectedPages: 125 })).toBe(inSeconds(125 + 1));
    expect(expected({ phase: 'queued' })).toBe(inSeconds(10 + 1));
    expect(expected({ phase: 'accepted' })).toBe(inSeconds(10 + 1));
  });

  it('counts the refreshes of its account before it by what the plan knows of them', () => {
    const { accountId } = pending;
    const busiest = [{ accountId, refreshes: 4, pages: 100 }];
    const known = { ...basisOf(nowMs).plan, ...plan, accounts: 1, busiest };

    expect(expected({ phase: 'queued', expectedPages: 5 }, { plan: known, before: 3 })).toBe(
      inSeconds(3 * 25 + 5 + 1),
    );
  });

  it('of a scan follows from what its first page reported, until its deadline at the latest', () => {
    expect(expected({ scan: { ...scanOf(100), pages: 40 } })).toBe(inSeconds(60 + 1));
    const collectDeadlineMs = inSeconds(20);
    expect(expected({ scan: { ...scanOf(100), pages: 40 }, collectDeadlineMs })).toBe(
      inSeconds(20 + 1),
    );
  });

  it('is not known of a parked scan, nor without a plan', () => {
    expect(expected({ scan: { ...scanOf(100), parked: true } })).toBeNull();
    expect(expected({ phase: 'queued' }, { plan: noPlan })).toBeNull();
  });

  it.each(['assembling', 'settling'] as const)('is a second away while %s', (phase) => {
    expect(expected({ phase })).toBe(inSeconds(1));
  });

  it.each(['completed', 'refused'] as const)('is null once %s', (phase) => {
    expect(expected({ phase })).toBeNull();
  });
});
