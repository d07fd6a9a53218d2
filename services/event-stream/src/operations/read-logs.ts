import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { EndpointQueues } from '../storage/endpoint-queues.ts';
import type { EndpointStore } from '../webhooks/endpoint-store.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import { type PrepareDeps, prepareDeliveries } from './prepare-deliveries.ts';

export interface LogReadingDeps extends PrepareDeps {
  readonly endpoints: Pick<
    EndpointStore,
    'listEnabledIds' | 'claimForReading' | 'advancePosition' | 'findEndpoint'
  >;
  readonly queues: Pick<EndpointQueues, 'enqueue'>;
  /** Endpoints as they are stored now; one that does not exist is absent. */
  readonly readEndpoints: (
    ids: readonly WebhookEndpointId[],
  ) => Promise<readonly WebhookEndpoint[]>;
  /** Those of the accounts that this replica sends to. */
  readonly acquireAccounts: (ids: Iterable<AccountId>) => Promise<ReadonlySet<AccountId>>;
  /** How often the log of every endpoint is polled. */
  readonly readEveryMs: number;
}

/** Makes the deliveries of appended events: at once for this replica's appends, by poll for all. */
export interface LogReading {
  /** An event was appended to the Project's log. */
  notify(projectId: ProjectId): void;
  /** The log of the endpoint may have another page. */
  notifyEndpoint(endpointId: WebhookEndpointId): void;
  /** True when more was notified. */
  readNotified(stopping: AbortSignal): Promise<boolean>;
  /** Reads the logs whose poll is due; true when more may be. */
  readPolled(stopping: AbortSignal): Promise<boolean>;
}

const endpointsAtOnce = 100;
const concurrencyMax = 8;
/** Beyond it a Project or an endpoint waits for its poll. */
const notifiedMax = 10_000;

export function createLogReading(deps: LogReadingDeps): LogReading {
  const { endpoints, queues, sending, clock, readEveryMs } = deps;
  const projects = new Set<ProjectId>();
  const notified = new Set<WebhookEndpointId>();
  /** Whether the log was notified while it was being read. */
  const reading = new Map<WebhookEndpointId, { isNotified: boolean }>();

  /** Whether its next page is read anyway: when the one that is being read or sent has ended. */
  function isReadLater(endpointId: WebhookEndpointId): boolean {
    const present = reading.get(endpointId);
    if (present) present.isNotified = true;
    return present !== undefined || sending.isSending(endpointId);
  }

  async function read(endpoint: WebhookEndpoint, stopping: AbortSignal): Promise<void> {
    if (isReadLater(endpoint.id)) return;
    const own = { isNotified: false };
    reading.set(endpoint.id, own);
    try {
      await prepareDeliveries(deps, endpoint, stopping);
    } finally {
      reading.delete(endpoint.id);
      if (own.isNotified) deps.onMore(endpoint.id);
    }
  }

  /**
   * Logs are read by the replica that sends to the account; others make the queues due. A replica
   * acquires no account that it has no slot for: another one may have some.
   */
  async function readAll(
    enabled: readonly WebhookEndpoint[],
    stopping: AbortSignal,
  ): Promise<void> {
    const servable = enabled.filter(sending.hasSlotFor);
    const held = await deps.acquireAccounts(servable.map(({ accountId }) => accountId));
    const own = servable.filter(({ accountId }) => held.has(accountId));
    const others = enabled.filter((endpoint) => !own.includes(endpoint));
    if (others.length > 0) {
      await queues.enqueue(
        others.map(({ id }) => id),
        clock.now(),
      );
    }
    await forEachLimited(own, concurrencyMax, (endpoint) => read(endpoint, stopping));
  }

  /** What is notified when a read fails waits for its poll. */
  async function readNotified(stopping: AbortSignal): Promise<boolean> {
    const some = [...projects].slice(0, endpointsAtOnce);
    for (const id of some) projects.delete(id);
    const ids = [...notified].slice(0, endpointsAtOnce);
    for (const id of ids) notified.delete(id);
    const wanted = new Set([...ids, ...(await endpoints.listEnabledIds(some))]);
    // They are read now: what they missed while they were disabled is not to be sent.
    const found = await deps.readEndpoints([...wanted].filter((id) => !isReadLater(id)));
    await readAll(
      found.filter(({ state }) => state === 'enabled'),
      stopping,
    );
    return projects.size > 0 || notified.size > 0;
  }

  async function readPolled(stopping: AbortSignal): Promise<boolean> {
    const nowMs = clock.now();
    const due = await endpoints.claimForReading(nowMs, nowMs + readEveryMs, endpointsAtOnce);
    await readAll(due, stopping);
    return due.length === endpointsAtOnce;
  }

  return {
    notify(projectId) {
      if (projects.size < notifiedMax) projects.add(projectId);
    },
    notifyEndpoint(endpointId) {
      if (notified.size < notifiedMax) notified.add(endpointId);
    },
    readNotified,
    readPolled,
  };
}
