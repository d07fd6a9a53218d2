import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from '../config.ts';
import { createLogPruning } from './log-pruning-store.ts';
import type { LogCollections } from './project-log-store.ts';
import { pruneLogs } from './prune-logs.ts';

/** Longer than commands and outcomes are kept anywhere. */
const rememberPrunedMs = 60 * 24 * 3_600_000;

/** Starts to delete the entries of logs that are older than they are kept. */
export function startPruning(
  { config, lifetime, clock, logger }: ServiceContext<EventStreamConfig>,
  collections: LogCollections,
): void {
  const { pruneEveryMs, keepMs } = config.log;
  const pruning = createLogPruning(collections);
  const deps = { pruning, clock, keepMs, rememberMs: rememberPrunedMs };
  startPeriodicJob({
    name: 'log pruning',
    intervalMs: pruneEveryMs,
    lifetime,
    logger,
    runOnce: (stopping) => pruneLogs(deps, stopping),
  });
}
