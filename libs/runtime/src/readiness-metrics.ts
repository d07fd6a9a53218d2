import { gauge } from './instruments.ts';

export interface Readiness {
  /** Why the service cannot serve requests. */
  readonly failing: readonly string[];
  /** What works in part or not at all while other requests are served. */
  readonly degraded: readonly string[];
}

/** Of this process, at its last scrape. */
let measured: Readiness | undefined;

gauge({
  name: 'inventory.ready',
  description: '1 while the replica is ready, as at /readyz, else 0',
}).observe((observe) => {
  if (measured) observe(measured.failing.length === 0 ? 1 : 0);
});
gauge({
  name: 'inventory.degraded',
  description: '1 while the replica serves only some of its requests, as at /readyz, else 0',
}).observe((observe) => {
  if (measured) observe(measured.degraded.length === 0 ? 0 : 1);
});

/** Sets what the next collection of metrics reports. */
export function measureReadiness(readiness: Readiness): void {
  measured = readiness;
}
