/** A UTC calendar month, counted in months from the year 0: the span of an allowance and of a cap. */
export type Period = number;

export function periodOf(timeMs: number): Period {
  const date = new Date(timeMs);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
}

/** Milliseconds since the epoch; a period ends where the next one starts. */
export function periodStartMs(period: Period): number {
  return Date.UTC(Math.floor(period / 12), period % 12);
}

/** The same as ISO 8601 UTC. */
export function periodStartText(period: Period): string {
  return new Date(periodStartMs(period)).toISOString();
}

/** `2026-11` */
export function periodText(period: Period): string {
  const month = String((period % 12) + 1).padStart(2, '0');
  return `${Math.floor(period / 12)}-${month}`;
}

/** The period of something that ends at another time, where that period is over by then. */
export function pastPeriod(madeAtMs: number, endedAtMs: number): Period | null {
  const made = periodOf(madeAtMs);
  return made < periodOf(endedAtMs) ? made : null;
}
