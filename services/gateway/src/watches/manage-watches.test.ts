import { newProjectId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { Pending } from '@inventory/work/work-queue';
import { watchOf } from '../../test/support/watch-of.ts';
import { runSoon } from './manage-watches.ts';
import { backedOffUntil, type Watch } from './watch.domain.ts';

const clock = createTestClock(Date.UTC(2026, 10, 26));
const nowMs = clock.now();
const run = {
  refreshId: '0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009',
  atMs: nowMs,
  isOpen: true,
  outcome: null,
} as const;
/** How its last run ended. */
const record = {
  outcome: 'private',
  completedAtMs: nowMs,
  billing: only({ creditsCharged: 1, unitsCharged: null }),
} as const;
const view = only({ decision: 'accepted', record });
const far = { ...watchOf(0, newProjectId(), nowMs), nextRefreshAtMs: nowMs + 9e8, run, denials: 5 };

/** A store in which another write comes first. */
function storeOf(tries: number) {
  const stored: Watch[] = [];
  const read = only<Pending<Watch>>({ item: far, tries });
  const results = [false, true];
  const watches = only({
    findPending: async () => read,
    async changeWatch(_read: Pending<Watch>, changed: Watch) {
      stored.push(changed);
      return results.shift() ?? true;
    },
  });
  const collector = { findRefresh: async () => view };
  const services = { watches, clock, collector } as unknown as Parameters<typeof runSoon>[0];
  return { stored, services };
}

test('a watch that is to run now is due within a second, also where it backs off (Sandbox: state verbs) [sandbox]', async () => {
  const { services, stored } = storeOf(0);

  const soon = await runSoon(services, far);

  expect(soon.nextRefreshAtMs).toBe(nowMs + 1_000);
  const ended = { ...far, run: { ...run, isOpen: false } };
  expect(backedOffUntil(ended)).toBeGreaterThan(soon.nextRefreshAtMs);
  expect(soon.run).toMatchObject({ isOpen: false, outcome: 'private' });
  expect(backedOffUntil(soon)).toBeLessThan(nowMs);
  expect(stored).toHaveLength(2);
});

test('the claim of a watch that runs now is not disturbed (Watches) [watch-runs]', async () => {
  const { services, stored } = storeOf(1);

  expect(await runSoon(services, far)).toEqual(far);
  expect(stored).toEqual([]);
});
