import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import type { EventStreams } from './event-streams.ts';
import { type StreamPrincipalsDeps, watchStreamPrincipals } from './watch-stream-principals.ts';

const secondMs = 1_000;

/** Starts the heartbeats of the streams and the checks of their Principals. */
export function startStreamChecks(
  { config, lifetime, clock, logger }: ServiceContext<GatewayConfig>,
  broadcasts: Broadcasts,
  deps: { readonly streams: EventStreams } & Pick<StreamPrincipalsDeps, 'findBySecretDigest'>,
): void {
  const { authorityEveryMs: everyMs } = config.streams;
  const principal = watchStreamPrincipals({ ...deps, clock, everyMs, logger });
  const everySecond = { intervalMs: secondMs, lifetime, logger };
  const checks = startPeriodicJob({
    ...everySecond,
    name: 'stream principal',
    runOnce: () => principal.checkDue(),
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
}
