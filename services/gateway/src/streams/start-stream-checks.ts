import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import type { EventStream, EventStreams } from './event-streams.ts';
import { type StreamPrincipalsDeps, watchStreamPrincipals } from './watch-stream-principals.ts';

const secondMs = 1_000;

/**
 * Starts the heartbeats of the streams and the checks of their Principals. The returned function is to
 * be called with each stream once it is among them.
 */
export function startStreamChecks(
  { config, lifetime, clock, logger }: ServiceContext<GatewayConfig>,
  broadcasts: Broadcasts,
  deps: { readonly streams: EventStreams } & Pick<StreamPrincipalsDeps, 'findBySecretDigest'>,
): (stream: EventStream) => void {
  const { authorityEveryMs: everyMs } = config.streams;
  const principal = watchStreamPrincipals({ ...deps, clock, everyMs, logger });
  const everySecond = { intervalMs: secondMs, lifetime, logger };
  const checks = startPeriodicJob({
    ...everySecond,
    name: 'stream principal',
    // Not awaited: a slow read delays no other check.
    runOnce: async () => void principal.checkDue(),
  });
  startPeriodicJob({
    ...everySecond,
    name: 'stream heartbeats',
    runOnce: async () => deps.streams.sendHeartbeats(),
  });
  broadcasts.on(['authority.changed.v1'], ({ body }) => {
    principal.scheduleChecks(body.account_id);
    checks.wake();
  });
  return (stream) => {
    if (principal.opened(stream)) checks.wake();
  };
}
