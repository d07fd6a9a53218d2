import { timingOf } from './timing.ts';

test('an idle consumer sends one fetch between two heartbeats, and leaves its group in time', () => {
  const timing = timingOf();

  expect(timing.fetchWaitMs).toBe(timing.heartbeatIntervalMs);
  expect(3 * timing.fetchWaitMs).toBeLessThanOrEqual(timing.leaveDeadlineMs);
});
