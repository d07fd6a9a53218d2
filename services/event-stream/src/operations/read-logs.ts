import type { ProjectId } from '@inventory/contracts/ids';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import { type PrepareDeps, prepareDeliveries } from './prepare-deliveries.ts';

export interface LogReadingDeps extends PrepareDeps {
  readonly endpoints: Pick<
    EndpointStore,
    'listEndpoints' | 'claimForReading' | 'advancePosition' | 'findEndpoint'
  >;
  /** How often the log of every endpoint is polled. */
  readonly readEveryMs: number;
  /** Deliveries of the endpoint may have been inserted. */
  readonly wake: (endpoint: WebhookEndpoint) => void;
}

/** Inserts the deliveries of appended events: at once for this replica's appends, by poll for all. */
export interface LogReading {
  /** An event was appended to the Project's log. */
  notify(projectId: ProjectId): void;
  /** True when more work may be due. */
  readDue(stopping: AbortSignal): Promise<boolean>;
}

const endpointsAtOnce = 100;
const concurrencyMax = 8;
/** Pause between two queries for due polls. */
const pollQueryEveryMs = 1_000;
/** Beyond it a Project waits for its poll. */
const notifiedMax = 10_000;

export function createLogReading(deps: LogReadingDeps): LogReading {
  const { endpoints, clock, readEveryMs, wake } = deps;
  const notified = new Set<ProjectId>();
  let nextPollQueryMs = 0;

  async function read(endpoint: WebhookEndpoint, stopping: AbortSignal): Promise<void> {
    await prepareDeliveries(deps, endpoint, stopping);
    wake(endpoint);
  }

  /** A Project whose read fails waits for its poll. */
  async function readNotified(stopping: AbortSignal): Promise<void> {
    const projects = [...notified].slice(0, endpointsAtOnce);
    for (const id of projects) notified.delete(id);
    await forEachLimited(projects, concurrencyMax, async (projectId) => {
      const enabled = (await endpoints.listEndpoints(projectId)).filter(
        ({ state }) => state === 'enabled',
      );
      for (const endpoint of enabled) await read(endpoint, stopping);
    });
  }

  /** True when more polls may be due. */
  async function readPolled(stopping: AbortSignal): Promise<boolean> {
    const nowMs = clock.now();
    if (nowMs < nextPollQueryMs) return false;
    const due = await endpoints.claimForReading(nowMs, nowMs + readEveryMs, endpointsAtOnce);
    await forEachLimited(due, concurrencyMax, (endpoint) => read(endpoint, stopping));
    const more = due.length === endpointsAtOnce;
    if (!more) nextPollQueryMs = nowMs + Math.min(readEveryMs, pollQueryEveryMs);
    return more;
  }

  return {
    notify(projectId) {
      if (notified.size < notifiedMax) notified.add(projectId);
    },
    async readDue(stopping) {
      await readNotified(stopping);
      const more = await readPolled(stopping);
      return more || notified.size > 0;
    },
  };
}
