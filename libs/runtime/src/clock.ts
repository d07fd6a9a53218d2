/** A source of time, in milliseconds since the Unix epoch. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 UTC with milliseconds, the form of every time on the wire. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

export function fromIsoTime(text: string): number {
  return Date.parse(text);
}

export function dateOf(timeMs: number): Date {
  return new Date(timeMs);
}

/** Monotonic milliseconds since `startMs`. */
export function elapsedSince(startMs: number): number {
  return performance.now() - startMs;
}

/** CPU time that this process has used so far, in milliseconds. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export function monotonicNow(): number {
  return performance.now();
}
