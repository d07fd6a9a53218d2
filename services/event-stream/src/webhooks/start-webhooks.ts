import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { startScrapedReading } from '@inventory/runtime/scraped-reading';
import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startWorker } from '@inventory/work/start-worker';
import type { EventStreamConfig } from '../config.ts';
import { work } from '../work.ts';
import type { Webhooks } from './open-webhooks.ts';
import { serveEndpoint } from './serve-endpoint.ts';
import { type EndpointPace, endpointPaces } from './webhook-document.ts';
import { observeBacklog } from './webhook-metrics.ts';

type Context = ServiceContext<EventStreamConfig>;

/** Starts the delivery runs, and the periodic jobs. */
export function startWebhooks(context: Context, webhooks: Webhooks): void {
  startJobs(context, webhooks);
  for (const pace of endpointPaces) startDeliveryRuns(context, webhooks, pace);
}

/**
 * Deletes old deliveries, keeps secrets encrypted with the first key and due times within bounds, counts
 * what is pending.
 */
function startJobs(context: Context, { endpoints, deliveries, limits }: Webhooks): void {
  const { config, lifetime, clock, logger } = context;
  const common = { lifetime, logger, intervalMs: config.log.pruneEveryMs };
  const { keepMs } = config.webhooks;
  startPeriodicJob({
    ...common,
    name: 'webhook delivery pruning',
    runOnce: async () => void (await deliveries.removeCreatedBefore(clock.now() - keepMs)),
  });
  startPeriodicJob({
    ...common,
    name: 'webhook due times',
    runOnce: () => endpoints.makeDueIfAfter(clock.now() + limits.waitMaxMs, clock.now()),
  });
  startPeriodicJob({
    ...common,
    name: 'webhook secrets',
    async runOnce(stopping) {
      const done = await endpoints.reencryptSecrets(clock.now(), stopping);
      if (done.endpoints > 0) logger.info(done, 'webhook secrets re-encrypted with the first key');
      if (done.unreadable > 0) logger.error(done, 'webhook secrets cannot be decrypted');
    },
  });
  const read = async () => {
    const [backlog, lateSinceMs] = await Promise.all([
      deliveries.countBacklog(clock.now()),
      endpoints.findLateSince(),
    ]);
    return { ...backlog, lateSinceMs };
  };
  observeBacklog(startScrapedReading('webhook backlog', read, context), clock.now);
}

/** Starts the delivery runs of the endpoints of one pace. */
function startDeliveryRuns(context: Context, webhooks: Webhooks, pace: EndpointPace): void {
  const { limits, sweepEveryMs } = context.config.webhooks;
  const queue = webhooks.endpoints.queueOf(pace);
  const quarter = quarterOf(limits.requestsMax);
  const isFast = pace === 'fast';
  // Most of a run of a fast endpoint is reading and storing.
  const slots = isFast ? 4 * quarter : quarter;
  const capacity = {
    requests: createSemaphore(isFast ? 2 * quarter : quarter),
    extraRequests: createKeyedSemaphore<string>({
      totalMax: quarter,
      perKeyMax: quarterOf(quarter),
    }),
  };
  const { wake } = startWorker(
    {
      name: work[pace].name,
      queue,
      slots,
      pollEveryMs: sweepEveryMs,
      perKey: { slots: quarterOf(slots), keyOf: ({ accountId }) => accountId },
      // A run ends before: its requests begin and end within the claim.
      again: { firstMs: limits.claimMs, maxMs: limits.claimMs },
      work: (claimed) => serveEndpoint(webhooks, queue, capacity, claimed),
    },
    context,
  );
  webhooks.onDue(wake);
}

const quarterOf = (count: number) => Math.max(1, Math.floor(count / 4));
