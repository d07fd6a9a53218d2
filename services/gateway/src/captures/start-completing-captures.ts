import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { GatewayConfig } from '../config.ts';
import { type CompleteCapturesDeps, completeCaptures } from './complete-captures.ts';

const sweepEveryMs = 500;

/** Starts to send the complete captures of all replicas. */
export function startCompletingCaptures(
  { lifetime, clock, identifiers, logger }: ServiceContext<GatewayConfig>,
  deps: Pick<CompleteCapturesDeps, 'captures' | 'intents' | 'revisions' | 'publish'>,
): void {
  const completing = { ...deps, clock, logger, replica: identifiers.uuidV7() };
  startPeriodicJob({
    name: 'captures',
    intervalMs: sweepEveryMs,
    lifetime,
    logger,
    runOnce: () => completeCaptures(completing),
  });
}
