import { createInternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import { work } from '../work.ts';
import { createAppends } from './append-event.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { openLogCollections } from './log-document.ts';
import { createLogPruning } from './log-pruning-store.ts';
import { createProjectLog } from './project-log-store.ts';
import { pruneLog } from './prune-logs.ts';

/** The logs of Projects and what is appended with: routes and consumers take it whole. */
export type Logs = ReturnType<typeof openLog>;

/** Longer than commands and outcomes are kept anywhere. */
const rememberPrunedMs = 60 * 24 * 3_600_000;

/** Opens the logs, prunes them, and deletes positions that no announcement can repeat any more. */
export function openLog(
  context: ServiceContext<EventStreamConfig>,
  db: Db,
  { publish }: MessageBus,
  { listEventProjects }: GatewayClient,
) {
  const { config, clock, identifiers, lifetime, logger } = context;
  const { keepMs, pruneEveryMs: everyMs, logEpoch } = config.log;
  const collections = openLogCollections(db);
  const pruning = createLogPruning(collections, logger);
  startPeriodicJob({
    name: 'pruned positions',
    intervalMs: everyMs,
    lifetime,
    logger,
    runOnce: () => pruning.removePositionsBefore(clock.now() - rememberPrunedMs),
  });
  startWorker(
    {
      ...work.pruning,
      pollEveryMs: Math.min(everyMs, work.pruning.pollEveryMs),
      queue: pruning.queue,
      work: (due) => pruneLog({ pruning, clock, keepMs, everyMs }, due),
    },
    context,
  );
  const log = createProjectLog(collections, config.log, clock, logger);
  const appendEvent = createAppends(log, clock, config.log);
  return { log, appendEvent, publish, listEventProjects, logEpoch, clock, identifiers };
}

export function openGatewayClient({
  config,
  lifetime,
}: ServiceContext<EventStreamConfig>): GatewayClient {
  const client = createInternalClient({
    service: 'gateway',
    baseUrl: config.gateway.url,
    serviceToken: config.serviceToken,
    timeoutMs: config.gateway.timeoutMs,
  });
  lifetime.defer('client of gateway', () => client.close());
  return createGatewayClient(client);
}
