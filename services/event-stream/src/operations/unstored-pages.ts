import type { AccountId, EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import type { Logger } from '@inventory/runtime/logger';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';

/** Receives the deliveries that were not stored when all others are. */
export type PageEnd = (left: readonly WebhookDelivery[]) => Promise<void>;

/**
 * Pages of logs whose deliveries are sent before they are stored, one page per endpoint. A page ends
 * when each of its deliveries was stored with its first result, or is left.
 */
export interface UnstoredPages {
  /** Deliveries that were not taken yet. */
  readonly waiting: number;
  has(endpointId: WebhookEndpointId): boolean;
  accountIds(): ReadonlySet<AccountId>;
  /** Endpoints with deliveries that were not taken yet. */
  values(): Pick<Page, 'endpointId' | 'accountId'>[];
  /** The position of its endpoint when the page was read. */
  positionOf(endpointId: WebhookEndpointId): number | undefined;
  /** Resolves when the end of the page was processed: another one may be added. */
  add(
    endpoint: Pick<WebhookEndpoint, 'id' | 'accountId' | 'nextPosition'>,
    deliveries: readonly WebhookDelivery[],
    onEnd: PageEnd,
  ): Promise<void>;
  take(endpointId: WebhookEndpointId, count: number): WebhookDelivery[];
  /** A delivery that was taken is stored, or is left. */
  ended(delivery: WebhookDelivery, isStored: boolean): void;
  /** What was not taken yet is left. */
  release(endpointId: WebhookEndpointId): void;
  /** Resolves when the end of every page was processed. */
  settled(): Promise<void>;
}

interface Page {
  readonly endpointId: WebhookEndpointId;
  readonly accountId: AccountId;
  readonly nextPosition: number;
  waiting: WebhookDelivery[];
  readonly taken: Set<EventId>;
  readonly left: WebhookDelivery[];
  readonly onEnd: PageEnd;
  readonly onRemoved: () => void;
}

export function createUnstoredPages(logger: Logger): UnstoredPages {
  const pages = new Map<WebhookEndpointId, Page>();
  const ending = new Set<Promise<void>>();
  let waiting = 0;

  function endIfDone(page: Page): void {
    if (page.waiting.length > 0 || page.taken.size > 0) return;
    const end = page.onEnd(page.left).catch((error: unknown) => {
      // Its position is not advanced: the poll reads the page again.
      logger.warn({ err: error, endpoint_id: page.endpointId }, 'webhook page not completed');
    });
    const ended = end.finally(() => {
      pages.delete(page.endpointId);
      ending.delete(ended);
      page.onRemoved();
    });
    ending.add(ended);
  }

  return {
    get waiting() {
      return waiting;
    },
    has: (endpointId) => pages.has(endpointId),
    accountIds: () => new Set([...pages.values()].map(({ accountId }) => accountId)),
    values: () => [...pages.values()].filter((page) => page.waiting.length > 0),
    positionOf: (endpointId) => pages.get(endpointId)?.nextPosition,
    add({ id: endpointId, accountId, nextPosition }, deliveries, onEnd) {
      const { promise, resolve: onRemoved } = Promise.withResolvers<void>();
      const lists = { waiting: [...deliveries], taken: new Set<EventId>(), left: [] };
      const page: Page = { endpointId, accountId, nextPosition, ...lists, onEnd, onRemoved };
      pages.set(endpointId, page);
      waiting += deliveries.length;
      endIfDone(page);
      return promise;
    },
    take(endpointId, count) {
      const page = pages.get(endpointId);
      if (page === undefined) return [];
      const taken = page.waiting.slice(0, count);
      page.waiting = page.waiting.slice(count);
      waiting -= taken.length;
      for (const { eventId } of taken) page.taken.add(eventId);
      return taken;
    },
    ended(delivery, isStored) {
      const page = pages.get(delivery.endpointId);
      if (page === undefined || !page.taken.delete(delivery.eventId)) return;
      if (!isStored) page.left.push(delivery);
      endIfDone(page);
    },
    release(endpointId) {
      const page = pages.get(endpointId);
      if (page === undefined || page.waiting.length === 0) return;
      waiting -= page.waiting.length;
      page.left.push(...page.waiting);
      page.waiting = [];
      endIfDone(page);
    },
    async settled() {
      while (ending.size > 0) await Promise.all(ending);
    },
  };
}
