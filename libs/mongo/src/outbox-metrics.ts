import { instrumentsOf } from '@inventory/runtime/instruments';

const { gauge } = instrumentsOf();
const labels = {
  collection: {
    words: 'the collection whose documents have the outbox',
    pattern: /^[a-zA-Z_]{3,40}$/,
  },
};

const oldestAge = gauge({
  name: 'inventory.outbox.oldest.age',
  description: 'Age of the oldest unsent message in the last sweep; 0 without one',
  unit: 's',
  labels,
});
const unsendable = gauge({
  name: 'inventory.outbox.unsendable',
  description: 'Documents that this replica skips: their outbox breaks a contract',
  labels,
});

export interface OutboxState {
  /** When the oldest waiting message was written; null when none waits. */
  readonly oldestAtMs: () => number | null;
  readonly unsendable: () => number;
  readonly now: () => number;
}

/** Reports the outbox of one collection until the returned function is called. */
export function observeOutbox(collection: string, state: OutboxState): () => void {
  const ends = [
    oldestAge.observe((observe) => {
      const oldestAtMs = state.oldestAtMs();
      observe(oldestAtMs === null ? 0 : (state.now() - oldestAtMs) / 1_000, { collection });
    }),
    unsendable.observe((observe) => observe(state.unsendable(), { collection })),
  ];
  return () => {
    for (const end of ends) end();
  };
}
