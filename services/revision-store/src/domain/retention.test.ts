import type { Observation } from './observation.ts';
import {
  changeSetKeptMs,
  isChangeSetReadable,
  isHeadExpired,
  isSupersededReadable,
  nextPruneAtMs,
} from './retention.ts';

const retention = {
  supersededKeptMs: 100,
  headKeptMs: 1_000,
  changesKeptMs: 300,
  erasedKeptMs: 50,
};
const head = { scanWindow: { startedAtMs: 0, completedAtMs: 5_000 } } as Observation;
const nothing: Parameters<typeof nextPruneAtMs>[0] = {
  head: null,
  oldestSupersededAtMs: null,
  oldestChangesAtMs: null,
  erasedAtMs: null,
};

describe('Retention (Reads: superseded revisions, the head) [superseded-stays-24-h-the-head-180-days]', () => {
  it('lets a superseded observation be read until its time is over', () => {
    expect(isSupersededReadable(5_000, 5_099, retention)).toBe(true);
    expect(isSupersededReadable(5_000, 5_100, retention)).toBe(false);
  });

  it('lets changes begin with a set for so much longer, and ends no chain of pages that began in time', () => {
    expect(isChangeSetReadable(null, 9_000, retention)).toBe(true);
    expect(isChangeSetReadable(5_000, 5_399, retention)).toBe(true);
    expect(isChangeSetReadable(5_000, 5_400, retention)).toBe(false);
    expect(changeSetKeptMs(retention)).toBe(400 + retention.supersededKeptMs);
  });

  it('keeps the head until its time after the last observation is over', () => {
    expect(isHeadExpired(head, 5_999, retention)).toBe(false);
    expect(isHeadExpired(head, 6_000, retention)).toBe(true);
  });

  it('schedules the next run at the earliest expiry', () => {
    const at = (left: Partial<typeof nothing>) =>
      nextPruneAtMs({ ...nothing, ...left }, 5_500, retention);

    expect(at({ head })).toBe(6_000);
    expect(at({ head, oldestSupersededAtMs: 5_450 })).toBe(5_550);
    expect(at({ head, erasedAtMs: 5_480 })).toBe(5_530);
    expect(at({ head, oldestChangesAtMs: 5_100 })).toBe(5_600);
  });

  it('schedules no run when no data is left', () => {
    expect(nextPruneAtMs(nothing, 5_500, retention)).toBeNull();
    expect(nextPruneAtMs({ ...nothing, erasedAtMs: 5_000 }, 5_500, retention)).toBeNull();
  });
});
