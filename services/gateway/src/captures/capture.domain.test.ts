import { only } from '@inventory/testkit/only';
import { isGivenUp } from './capture.domain.ts';

const [nowMs, settleWithinMs, dayMs] = [1_000_000_000, 300_000, 86_400_000];

test.each([
  ['before its deadline', settleWithinMs, false],
  ['at its deadline', 0, true],
  ['whose deadline a clock a minute ahead wrote', settleWithinMs + 60_000, false],
  ['whose deadline a clock a day ahead wrote', settleWithinMs + dayMs, true],
])('a capture %s (Reads: Capture)', (_which, inMs, expected) => {
  expect(isGivenUp(only({ giveUpAtMs: nowMs + inMs }), nowMs, settleWithinMs)).toBe(expected);
});
