import type { ProjectId } from '@inventory/contracts/ids';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { createLogReading, type LogReadingDeps } from './operations/read-logs.ts';

const intervalMaxMs = 1_000;

/** Inserts the deliveries of appended events. */
export function startLogReading(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  deps: Omit<LogReadingDeps, 'clock' | 'readEveryMs'>,
) {
  const { sweepEveryMs } = config.webhooks;
  const reading = createLogReading({ ...deps, clock, readEveryMs: sweepEveryMs });
  const job = startPeriodicJob({
    name: 'webhook log reading',
    intervalMs: Math.min(sweepEveryMs, intervalMaxMs),
    lifetime,
    logger,
    runOnce: (stopping) => reading.readDue(stopping),
  });
  return {
    /** An event was appended to the Project's log. */
    wake(projectId: ProjectId) {
      reading.notify(projectId);
      job.wake();
    },
  };
}
