import type { AccountId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { EndpointQueues } from '../storage/endpoint-queues.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';

/** A queue that may have due deliveries. */
export interface ReadyQueue {
  readonly endpointId: WebhookEndpointId;
  readonly accountId: AccountId;
  /** Concurrency that the endpoint's health allows, as last read. */
  readonly requestsMax: number;
  /** Due deliveries that were read and not claimed yet; another replica may have claimed them. */
  readonly ahead: readonly WebhookDelivery[];
}

/** The due queues, least recently served first. */
export interface ReadyQueues {
  /** Lists the due queues again when the list is old. */
  refresh(nowMs: number): Promise<void>;
  has(endpointId: WebhookEndpointId): boolean;
  values(): readonly ReadyQueue[];
  add(endpoint: Pick<WebhookEndpoint, 'id' | 'accountId'>): void;
  /** Moves a queue to the end of the order. */
  served(queue: ReadyQueue): void;
  drop(endpointId: WebhookEndpointId): void;
}

const listEveryMs = 250;
const listedAtOnce = 1_000;
/** Beyond it a due queue waits for the next listing. */
const readyMax = 20_000;

export function createReadyQueues(
  queues: Pick<EndpointQueues, 'listDueQueues'>,
  requestsMax: number,
): ReadyQueues {
  const ready = new Map<WebhookEndpointId, ReadyQueue>();
  let nextListMs = Number.NEGATIVE_INFINITY;
  let fromMs = 0;

  function add(endpointId: WebhookEndpointId, accountId: AccountId): void {
    if (ready.has(endpointId) || ready.size >= readyMax) return;
    ready.set(endpointId, { endpointId, accountId, requestsMax, ahead: [] });
  }

  return {
    async refresh(nowMs) {
      if (nowMs < nextListMs) return;
      nextListMs = nowMs + listEveryMs;
      const due = await queues.listDueQueues(fromMs, nowMs, listedAtOnce);
      for (const { endpointId, accountId } of due) add(endpointId, accountId);
      // A long list is read in parts, one at a time.
      const [first, last] = [due[0], due.at(-1)];
      const isWhole = due.length < listedAtOnce || !first || !last;
      fromMs = isWhole ? 0 : Math.max(last.dueAtMs, first.dueAtMs + 1);
    },
    has: (endpointId) => ready.has(endpointId),
    values: () => [...ready.values()],
    add: ({ id, accountId }) => add(id, accountId),
    served(queue) {
      if (ready.delete(queue.endpointId)) ready.set(queue.endpointId, queue);
    },
    drop: (endpointId) => void ready.delete(endpointId),
  };
}
