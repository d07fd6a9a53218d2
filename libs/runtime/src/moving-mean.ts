/** An exponentially weighted mean of the latest values. */
export interface MovingMean {
  add(value: number): void;
  readonly mean: number;
}

const weight = 0.1;

export function createMovingMean(first: number): MovingMean {
  let mean = first;
  return {
    add(value) {
      mean += weight * (value - mean);
    },
    get mean() {
      return mean;
    },
  };
}

/** An event rate with exponential decay. */
export interface FadingRate {
  add(nowMs: number): void;
  /** Events per window, weighted towards recent ones. */
  perWindow(nowMs: number): number;
}

export function createFadingRate(windowMs: number): FadingRate {
  let events = 0;
  let countedMs = 0;
  const fade = (nowMs: number) => {
    events *= Math.exp(-Math.max(0, nowMs - countedMs) / windowMs);
    countedMs = nowMs;
  };
  return {
    add(nowMs) {
      fade(nowMs);
      events += 1;
    },
    perWindow(nowMs) {
      fade(nowMs);
      return events;
    },
  };
}
