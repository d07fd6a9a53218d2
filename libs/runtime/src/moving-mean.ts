/** The mean of the latest values, each newer one counting a little more. */
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

/** How often something happened lately, older events fading out. */
export interface FadingRate {
  add(nowMs: number): void;
  /** Events in about one window. */
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
