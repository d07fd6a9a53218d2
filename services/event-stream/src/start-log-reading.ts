import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { createLogReading, type LogReadingDeps } from './operations/read-logs.ts';

/** Pause between two queries for due polls. */
const pollEveryMs = 1_000;

/** Inserts the deliveries of appended events. */
export function startLogReading(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  deps: Omit<LogReadingDeps, 'clock' | 'readEveryMs' | 'onMore'>,
) {
  const { sweepEveryMs } = config.webhooks;
  const wakeEndpoint = (endpointId: WebhookEndpointId): void => {
    reading.notifyEndpoint(endpointId);
    job.wake();
  };
  const reading = createLogReading({
    ...{ ...deps, clock, readEveryMs: sweepEveryMs },
    onMore: wakeEndpoint,
  });
  const job = startPeriodicJob({
    name: 'webhook log reading',
    intervalMs: sweepEveryMs,
    lifetime,
    logger,
    runOnce: reading.readNotified,
  });
  // A job apart: no event that was just appended waits for the polls of all other logs.
  startPeriodicJob({
    name: 'webhook log polls',
    intervalMs: Math.min(sweepEveryMs, pollEveryMs),
    lifetime,
    logger,
    runOnce: reading.readPolled,
  });
  return {
    /** An event was appended to the Project's log. */
    wake(projectId: ProjectId) {
      reading.notify(projectId);
      job.wake();
    },
    wakeEndpoint,
  };
}
