export type MovingMean = ReturnType<typeof createMovingMean>;

const weight = 0.1;

/** An exponentially weighted mean of the latest values. */
export function createMovingMean(first: number) {
  let mean = first;
  return {
    add(value: number): void {
      mean += weight * (value - mean);
    },
    get mean(): number {
      return mean;
    },
  };
}

export type FadingRate = ReturnType<typeof createFadingRate>;

/** An event rate with exponential decay. */
export function createFadingRate(windowMs: number) {
  let events = 0;
  let countedMs = 0;
  const fade = (nowMs: number) => {
    events *= Math.exp(-Math.max(0, nowMs - countedMs) / windowMs);
    countedMs = nowMs;
  };
  return {
    add(nowMs: number): void {
      fade(nowMs);
      events += 1;
    },
    /** Events per window, weighted towards recent ones. */
    perWindow(nowMs: number): number {
      fade(nowMs);
      return events;
    },
  };
}
