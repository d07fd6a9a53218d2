import { createKeyedSemaphore, createSemaphore } from '@inventory/runtime/semaphore';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { type StartedWorkKind, startWorker } from '@inventory/work/start-worker';
import type { EventStreamConfig } from './config.ts';
import type { LogPruning } from './log/log-pruning-store.ts';
import { pruneLog } from './log/prune-logs.ts';
import type { EndpointStore } from './webhooks/endpoint-store.ts';
import type { Serving } from './webhooks/open-webhooks.ts';
import { type ServeEndpointDeps, serveEndpoint } from './webhooks/serve-endpoint.ts';
import type { EndpointPace, EndpointTurn } from './webhooks/webhook-document.ts';
import { work } from './work.ts';

export interface WorkDeps {
  readonly pruning: LogPruning;
  readonly endpoints: Pick<EndpointStore, 'turnsOf'>;
  readonly serving: Serving;
}

/**
 * Starts the work of `work.ts`. Appending an event makes its log and the endpoints of its Project
 * due, before the announcement is acknowledged; so nothing is polled, and the cost follows what is due.
 */
export function startWork(
  context: ServiceContext<EventStreamConfig>,
  deps: WorkDeps,
): { readonly wakeEndpoints: () => void } {
  const { clock, config } = context;
  const { keepMs, pruneEveryMs: everyMs } = config.log;
  const { pruning } = deps;

  startWorker(
    {
      ...work.pruning,
      lookEveryMs: Math.min(everyMs, work.pruning.lookEveryMs),
      queue: pruning.queue,
      work: (log) => pruneLog({ pruning, clock, keepMs, everyMs }, log),
    },
    context,
  );
  const workers = (['new', 'slow', 'fast'] as const).map((pace) =>
    startWorker(endpointTurns(pace, config, { ...deps, onDue: wakeEndpoints }), context),
  );
  function wakeEndpoints(): void {
    for (const { wake } of workers) wake();
  }
  return { wakeEndpoints };
}

function endpointTurns(
  pace: EndpointPace,
  { webhooks: { limits, sweepEveryMs } }: EventStreamConfig,
  { endpoints, serving, onDue }: WorkDeps & Pick<ServeEndpointDeps, 'onDue'>,
): StartedWorkKind<EndpointTurn> {
  const queue = endpoints.turnsOf(pace);
  const quarter = quarterOf(limits.requestsMax);
  const isFast = pace === 'fast';
  // Most of a turn of a fast endpoint is reading and storing.
  const places = isFast ? 4 * quarter : quarter;
  const ofAccount = quarterOf(places);
  const requests = createSemaphore(isFast ? 2 * quarter : quarter);
  const extraRequests = createKeyedSemaphore<string>({
    ...{ totalMax: quarter, perKeyMax: quarterOf(quarter) },
  });
  return {
    name: work[pace].name,
    queue,
    places,
    perKey: { places: ofAccount, keyOf: ({ accountId }) => accountId },
    // A turn ends before: its requests begin and end within the claim.
    again: { firstMs: limits.claimMs, maxMs: limits.claimMs },
    lookEveryMs: sweepEveryMs,
    work: (turn) => serveEndpoint({ ...serving, requests, extraRequests, onDue }, queue, turn),
  };
}

const quarterOf = (count: number) => Math.max(1, Math.floor(count / 4));
