import { consumerGroup } from '@inventory/contracts/topics';
import { createInternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import type { EventStreamConfig } from '../config.ts';
import { work } from '../work.ts';
import { type AppendEvent, createAppends } from './append-event.ts';
import { createGatewayClient, type GatewayClient } from './gateway-client.ts';
import { openLogCollections } from './log-document.ts';
import { createLogPruning } from './log-pruning-store.ts';
import { type AnnouncementDeps, onBalanceLow, onRefreshCompleted } from './on-announcements.ts';
import { createProjectLog, type ProjectLog } from './project-log-store.ts';
import { pruneLog } from './prune-logs.ts';

export interface OpenedLog {
  readonly log: ProjectLog;
  readonly appendEvent: AppendEvent;
}

/** Longer than commands and outcomes are kept anywhere. */
const rememberPrunedMs = 60 * 24 * 3_600_000;

/** Opens the logs, prunes them, and deletes positions that no announcement can repeat any more. */
export function openLog(context: ServiceContext<EventStreamConfig>, db: Db): OpenedLog {
  const { config, clock, lifetime, logger } = context;
  const { keepMs, pruneEveryMs: everyMs } = config.log;
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
      lookEveryMs: Math.min(everyMs, work.pruning.lookEveryMs),
      queue: pruning.queue,
      work: (due) => pruneLog({ pruning, clock, keepMs, everyMs }, due),
    },
    context,
  );
  const log = createProjectLog(collections, config.log, clock, logger);
  return { log, appendEvent: createAppends(log, clock, config.log) };
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

const concurrencyMax = 16;
/** A low balance is not urgent, so records are processed in batches. */
const balancesGatherMs = 500;

/** Starts to append the events of completed refreshes and of low balances. */
export async function startAppending(
  { lifetime }: ServiceContext,
  bus: MessageBus,
  deps: AnnouncementDeps,
): Promise<void> {
  const completions = await bus.consume({
    group: consumerGroup('event-stream', 'refresh.outcomes.v1'),
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey(onRefreshCompleted(deps), concurrencyMax),
  });
  lifetime.defer('completed refreshes', () => completions.stop());
  // Most records of this topic have other consumers; batches keep the cost of skipping them low.
  const balances = await bus.consume({
    group: consumerGroup('event-stream', 'billing.outcomes.v1'),
    topics: ['billing.outcomes.v1'],
    gatherMs: balancesGatherMs,
    onBatch: byKey(onBalanceLow(deps), concurrencyMax),
  });
  lifetime.defer('low balances', () => balances.stop());
}
