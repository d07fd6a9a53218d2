import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { acceptedRefresh, requestedAtMs } from '../../test/refresh-builder.ts';
import type { Saga } from '../saga/open-saga.ts';
import { completedHere } from './refresh-routes.ts';

test.each([
  ['completed a moment ago', { phase: 'completed' as const, agoMs: 59_999 }, true],
  [
    'completed longer ago: it may have expired',
    { phase: 'completed' as const, agoMs: 60_000 },
    false,
  ],
  [
    'completed before the clock was set back: it may have expired',
    { phase: 'completed' as const, agoMs: -86_400_000 },
    false,
  ],
  [
    'not completed: another replica may have changed it',
    { phase: 'settling' as const, agoMs: 0 },
    false,
  ],
])('one that this replica knows as %s', (_what, { phase, agoMs }, isKnown) => {
  const completedAtMs = phase === 'completed' ? requestedAtMs : null;
  const stored = acceptedRefresh({ phase, completedAtMs });
  const clock = createTestClock(requestedAtMs + agoMs);

  const shown = completedHere(
    only<Saga>({ clock, refreshes: only({ cachedRefresh: () => stored }) }),
    'id',
  );

  expect(shown).toBe(isKnown ? stored : null);
});
