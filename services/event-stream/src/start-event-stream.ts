import { byKey } from '@inventory/messaging/dispatch';
import { startLoop } from '@inventory/runtime/loop';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { EventStreamConfig } from './config.ts';
import { onRefreshCompleted } from './consumers/on-refresh-completed.ts';
import { createRouter } from './http/router.ts';
import { countAppended } from './metrics.ts';
import { pruneLogs } from './operations/prune-logs.ts';
import { indexes, openLogCollection, openPrunedCollection } from './storage/collections.ts';
import { createLogPruning } from './storage/log-pruning.ts';
import { createProjectLog } from './storage/project-log.ts';

const lanesMax = 16;
/** Longer than commands and outcomes are kept anywhere. */
const rememberPrunedMs = 60 * 24 * 3_600_000;

/** Starts the service: the log, its pruner, its consumer, and internal HTTP last. */
export async function startEventStream(
  context: ServiceContext<EventStreamConfig>,
): Promise<StartedService> {
  const { config, lifetime, clock, logger } = context;
  const { db, bus, health } = await openBackends(context, 'event-stream', indexes);
  const collections = { log: openLogCollection(db), pruned: openPrunedCollection(db) };
  const log = createProjectLog(collections, clock, config.log);
  const pruning = createLogPruning(collections);
  const pruner = startLoop({
    name: 'log pruning',
    idleMs: config.log.pruneEveryMs,
    logger,
    round: async (stopping) => {
      const { keepMs } = config.log;
      await pruneLogs({ pruning, clock, keepMs, rememberMs: rememberPrunedMs }, stopping);
      return false;
    },
  });
  lifetime.defer('log pruning', () => pruner.stop());
  const subscription = await bus.consume({
    group: 'event-stream',
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey(
      onRefreshCompleted({ log, publish: bus.publish, onAppended: countAppended }),
      lanesMax,
    ),
  });
  lifetime.defer('consumer', () => subscription.stop());
  return serveInternal(context, createRouter(log, config.log.logEpoch), health);
}
