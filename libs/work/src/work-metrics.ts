import { counter, gauge } from '@inventory/runtime/instruments';

const work = { words: 'the kind of pending work', pattern: /^[a-z_ ]{3,40}$/ };
const labels = { work };

export const claims = counter({
  name: 'inventory.work.claims',
  description: 'Claims of pending work, the first and later ones',
  labels: { work, claim: ['first', 'repeated'] },
});
export const failures = counter({
  name: 'inventory.work.failures',
  description: 'Claims that ended in an error; the work is tried again',
  labels,
});
const running = gauge({
  name: 'inventory.work.running',
  description: 'Items that this replica works on',
  labels,
});
const oldestAge = gauge({
  name: 'inventory.work.overdue.age',
  description: 'How long the oldest due item has been due, at the last poll; 0 without one',
  unit: 's',
  labels,
});

export interface WorkState {
  readonly running: () => number;
  /** Since when the oldest item is due; null when none is. */
  readonly oldestDueMs: () => number | null;
  readonly now: () => number;
}

/** Reports the work of one kind until the returned function is called. */
export function observeWork(name: string, state: WorkState): () => void {
  const ends = [
    running.observe((observe) => observe(state.running(), { work: name })),
    oldestAge.observe((observe) => {
      const dueMs = state.oldestDueMs();
      observe(dueMs === null ? 0 : Math.max(0, state.now() - dueMs) / 1_000, { work: name });
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
