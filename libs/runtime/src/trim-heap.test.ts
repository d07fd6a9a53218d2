import { createTrimming, type HeapReading } from './trim-heap.ts';

const megabyte = 1024 * 1024;

/** Readings in order; each is one of an idle process with a heap of this size, unless it says else. */
function trimmingOf(...readings: (Partial<HeapReading> & { readonly occupied: number })[]) {
  const isDue = createTrimming();
  return readings.map(({ occupied, ...reading }) =>
    isDue({
      ...{ utilization: 0.01, occupiedBytes: occupied * megabyte, usedBytes: 40 * megabyte },
      ...reading,
    }),
  );
}

it('an idle process collects its garbage once, and again after its heap has grown (decisions/0032)', () => {
  expect(
    trimmingOf({ occupied: 90 }, { occupied: 44 }, { occupied: 45 }, { occupied: 60 }),
  ).toEqual([true, false, false, true]);
  // What it could not return is no growth.
  expect(trimmingOf({ occupied: 90 }, { occupied: 90 }, { occupied: 90 })).toEqual([
    true,
    false,
    false,
  ]);
});

it('a process that works or has a large heap collects nothing by itself', () => {
  expect(
    trimmingOf(
      { occupied: 90, utilization: 0.02 },
      { occupied: 300, usedBytes: 129 * megabyte },
      { occupied: 90 },
    ),
  ).toEqual([false, false, true]);
});
