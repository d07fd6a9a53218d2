import type { AccountId, WebhookEndpointId } from '@inventory/contracts/ids';
import { readEach } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { TextSealer } from '@inventory/runtime/text-sealer';
import type { Collection } from 'mongodb';
import { fromDocEndpoint } from '../webhooks/endpoint-mapping.ts';
import type { EndpointDocument } from '../webhooks/webhook-document.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';

/** An endpoint whose queue is due. */
export interface DueQueue {
  readonly endpointId: WebhookEndpointId;
  readonly accountId: AccountId;
  readonly dueAtMs: number;
}

export interface EndpointQueue {
  readonly endpoint: WebhookEndpoint;
  /** Increases with each enqueued delivery. */
  readonly version: number;
}

/**
 * The queues of endpoints. A queue is due when its earliest pending delivery is, and at the end of
 * the pause of a paused endpoint; an empty one is never due. It is part of the endpoint's document,
 * so that listing costs as much as there are due queues, however long they are.
 */
export interface EndpointQueues {
  /** Queues of enabled endpoints that became due from `fromMs` to `nowMs`, earliest first. */
  listDueQueues(fromMs: number, nowMs: number, limit: number): Promise<DueQueue[]>;
  /** A corrupt endpoint is left out. */
  readQueues(ids: readonly WebhookEndpointId[]): Promise<EndpointQueue[]>;
  /** Whether it is stored, corrupt or not. */
  endpointExists(endpointId: WebhookEndpointId): Promise<boolean>;
  /** Deliveries were made due: the queue is due then at the latest. */
  enqueue(endpointIds: readonly WebhookEndpointId[], dueAtMs: number): Promise<void>;
  /** Moves a queue that was read, null: it is empty. False when a delivery was enqueued since. */
  postpone(read: EndpointQueue, dueAtMs: number | null): Promise<boolean>;
}

const endpointsPerRead = 100;

export function createEndpointQueues(
  endpoints: Collection<EndpointDocument>,
  sealer: TextSealer,
  logger: Logger,
): EndpointQueues {
  const fromDoc = (doc: EndpointDocument): EndpointQueue => ({
    endpoint: fromDocEndpoint(doc, sealer),
    version: doc.queueVersion ?? 0,
  });

  const reads = createBatcher<WebhookEndpointId, EndpointQueue | undefined>({
    ...sharedCommands,
    itemsMax: endpointsPerRead,
    async flush(ids) {
      const found = await endpoints.find({ endpointId: { $in: [...new Set(ids)] } }).toArray();
      const queues = readEach(found, fromDoc, logger);
      const byId = new Map(queues.map((queue) => [queue.endpoint.id, queue]));
      return ids.map((id) => byId.get(id));
    },
  });

  return {
    async listDueQueues(fromMs, nowMs, limit) {
      const found = await endpoints
        .find({ state: 'enabled', queueDueAt: { $gte: dateOf(fromMs), $lte: dateOf(nowMs) } })
        .project<Pick<EndpointDocument, 'endpointId' | 'accountId' | 'queueDueAt'>>({
          ...{ _id: 0, endpointId: 1, accountId: 1, queueDueAt: 1 },
        })
        .sort({ queueDueAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ endpointId, accountId, queueDueAt }) => ({
        ...{ endpointId, accountId },
        dueAtMs: queueDueAt?.getTime() ?? nowMs,
      }));
    },
    async readQueues(ids) {
      const found = await Promise.all(ids.map((id) => reads.add(id)));
      return found.filter((queue) => queue !== undefined);
    },
    async endpointExists(endpointId) {
      return (await endpoints.findOne({ endpointId }, { projection: { _id: 1 } })) !== null;
    },
    async enqueue(endpointIds, dueAtMs) {
      await endpoints.updateMany({ endpointId: { $in: [...endpointIds] } }, enqueued(dueAtMs));
    },
    async postpone({ endpoint: { id: endpointId }, version }, dueAtMs) {
      const queueVersion = version === 0 ? { $exists: false } : version;
      const { matchedCount } = await endpoints.updateOne(
        { endpointId, queueVersion },
        dueAtMs === null
          ? { $unset: { queueDueAt: '' } }
          : { $set: { queueDueAt: dateOf(dueAtMs) } },
      );
      return matchedCount > 0;
    },
  };
}

/** The part of an update that makes a queue due at a time, or earlier where it is. */
export function enqueued(dueAtMs: number) {
  return { $min: { queueDueAt: dateOf(dueAtMs) }, $inc: { queueVersion: 1 } };
}
