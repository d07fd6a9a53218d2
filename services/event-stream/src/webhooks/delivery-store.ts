import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import { createDeliveryClaims, type DeliveryClaims } from '../storage/delivery-claims.ts';
import { insertMissing } from '../storage/insert-missing.ts';
import {
  fromDocDelivery,
  keyOf,
  type NewDelivery,
  placeAt,
  toDocDelivery,
} from './delivery-mapping.ts';
import type { WebhookDelivery } from './webhook-delivery.domain.ts';
import type { DeliveryDocument } from './webhook-document.ts';

export interface DeliveryPageQuery {
  readonly state?: WebhookDelivery['state'] | undefined;
  /** Created at this time or later. */
  readonly fromMs?: number | undefined;
  /** Created before this time. */
  readonly toMs?: number | undefined;
  /** Place of the last item of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Both ends are included. */
export interface TimeRange {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Stores deliveries and their attempts. */
export interface DeliveryStore extends DeliveryClaims {
  /** Inserts those that do not exist, due at once; returns how many. */
  insertMissing(deliveries: readonly NewDelivery[], nowMs: number): Promise<number>;
  /** Those of the events that have a delivery to the endpoint. */
  listExisting(
    endpointId: WebhookEndpointId,
    eventIds: readonly EventId[],
  ): Promise<ReadonlySet<EventId>>;
  findDelivery(endpointId: WebhookEndpointId, eventId: EventId): Promise<WebhookDelivery | null>;
  /** Newest first. */
  listDeliveries(
    endpointId: WebhookEndpointId,
    query: DeliveryPageQuery,
  ): Promise<{ readonly delivery: WebhookDelivery; readonly place: string }[]>;
  /** Makes it due with a new schedule, in any state; false when there is none. */
  restartDelivery(endpointId: WebhookEndpointId, eventId: EventId, nowMs: number): Promise<boolean>;
  /**
   * When the terminal delivery was appended that follows the first `count` ones of a time range, by
   * which the events are meant; null where there is none.
   */
  findAppendedAfter(
    endpointId: WebhookEndpointId,
    range: TimeRange,
    count: number,
  ): Promise<number | null>;
  /** Restarts the terminal deliveries of events appended in a time range; returns how many. */
  restartRange(endpointId: WebhookEndpointId, range: TimeRange, nowMs: number): Promise<number>;
  removeOfEndpoint(endpointId: WebhookEndpointId): Promise<void>;
  removeCreatedBefore(timeMs: number): Promise<number>;
}

export function createDeliveryStore(
  deliveries: Collection<DeliveryDocument>,
  logger: Logger,
): DeliveryStore {
  return {
    ...records(deliveries),
    ...createDeliveryClaims(deliveries, logger),
    ...restarts(deliveries),
  };
}

type Deliveries = Collection<DeliveryDocument>;

const keysPerRead = 1_000;

function records(
  deliveries: Deliveries,
): Pick<
  DeliveryStore,
  | 'insertMissing'
  | 'listExisting'
  | 'findDelivery'
  | 'listDeliveries'
  | 'removeOfEndpoint'
  | 'removeCreatedBefore'
> {
  /** Whether a delivery with this key exists. */
  const lookUps = createBatcher<string, boolean>({
    ...sharedCommands,
    itemsMax: keysPerRead,
    async flush(keys) {
      const found = await deliveries
        .find({ _id: { $in: [...keys] } }, { projection: { _id: 1 } })
        .toArray();
      const existing = new Set(found.map(({ _id }) => _id));
      return keys.map((key) => existing.has(key));
    },
  });

  return {
    insertMissing: (wanted, nowMs) =>
      insertMissing(
        deliveries,
        wanted.map((delivery) => toDocDelivery(delivery, nowMs)),
      ),
    async listExisting(endpointId, eventIds) {
      const exist = await Promise.all(eventIds.map((id) => lookUps.add(keyOf(endpointId, id))));
      return new Set(eventIds.filter((_id, index) => exist[index]));
    },
    async findDelivery(endpointId, eventId) {
      const found = await deliveries.findOne({ _id: keyOf(endpointId, eventId) });
      return found && fromDocDelivery(found);
    },
    async listDeliveries(endpointId, { limit, ...query }) {
      const found = await deliveries
        .find({ endpointId, ...filterOf(query) })
        .sort({ place: -1 })
        .limit(limit)
        .toArray();
      return found.map((doc) => ({ delivery: fromDocDelivery(doc), place: doc.place }));
    },
    async removeOfEndpoint(endpointId) {
      await deliveries.deleteMany({ endpointId });
    },
    async removeCreatedBefore(timeMs) {
      const { deletedCount } = await deliveries.deleteMany({ createdAt: { $lt: dateOf(timeMs) } });
      return deletedCount;
    },
  };
}

function filterOf({ state, fromMs, toMs, before }: Omit<DeliveryPageQuery, 'limit'>) {
  const [end] = [before, toMs === undefined ? undefined : placeAt(toMs)]
    .filter((place) => place !== undefined)
    .sort();
  const place = {
    ...(fromMs !== undefined && { $gte: placeAt(fromMs) }),
    ...(end !== undefined && { $lt: end }),
  };
  return {
    ...(state !== undefined && { state }),
    ...(Object.keys(place).length > 0 && { place }),
  };
}

function restarts(
  deliveries: Deliveries,
): Pick<DeliveryStore, 'restartDelivery' | 'findAppendedAfter' | 'restartRange'> {
  const terminalIn = (endpointId: WebhookEndpointId, { sinceMs, untilMs }: TimeRange) => ({
    endpointId,
    state: { $in: ['delivered' as const, 'failed' as const] },
    appendedAt: { $gte: dateOf(sinceMs), $lte: dateOf(untilMs) },
  });
  const restarted = (nowMs: number) => ({
    $set: {
      state: 'pending' as const,
      failure: null,
      failures: 0,
      nextAttemptAt: dateOf(nowMs),
    },
    $inc: { claim: 1 },
  });

  return {
    async restartDelivery(endpointId, eventId, nowMs) {
      const { matchedCount } = await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId) },
        restarted(nowMs),
      );
      return matchedCount > 0;
    },
    async findAppendedAfter(endpointId, range, count) {
      const next = await deliveries.findOne(terminalIn(endpointId, range), {
        sort: { appendedAt: 1 },
        skip: count,
        projection: { appendedAt: 1 },
      });
      return next?.appendedAt?.getTime() ?? null;
    },
    async restartRange(endpointId, range, nowMs) {
      const { modifiedCount } = await deliveries.updateMany(
        terminalIn(endpointId, range),
        restarted(nowMs),
      );
      return modifiedCount;
    },
  };
}
