import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type Collection, MongoBulkWriteError } from 'mongodb';
import type {
  Attempt,
  DeliveryFailure,
  DeliveryProgress,
  WebhookDelivery,
} from '../domain/webhook-delivery.ts';
import {
  fromDocDelivery,
  keyOf,
  type NewDelivery,
  toDocAttempt,
  toDocDelivery,
  toDocProgress,
} from './delivery-mapping.ts';
import type { DeliveryDocument } from './webhook-collections.ts';

export interface DeliveryPageQuery {
  readonly state?: WebhookDelivery['state'] | undefined;
  /** Place of the last one seen. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Keeps what is on its way to endpoints and how it went. */
export interface DeliveryStore {
  /** Makes those that are not there yet, due at once; says how many. */
  insertMissing(deliveries: readonly NewDelivery[], nowMs: number): Promise<number>;
  find(endpointId: WebhookEndpointId, eventId: EventId): Promise<WebhookDelivery | null>;
  /** The newest first. */
  page(
    endpointId: WebhookEndpointId,
    query: DeliveryPageQuery,
  ): Promise<{ readonly delivery: WebhookDelivery; readonly place: string }[]>;
  /** Pending ones whose time has come, of other endpoints than these; the longest due first. */
  due(
    nowMs: number,
    withoutEndpoints: readonly WebhookEndpointId[],
    limit: number,
  ): Promise<WebhookDelivery[]>;
  /** Takes a delivery on until `untilMs`; null when somebody else did or it is no longer due. */
  claim(delivery: WebhookDelivery, untilMs: number): Promise<WebhookDelivery | null>;
  /** False when the claim is no longer the latest: then nothing is written. */
  record(claimed: WebhookDelivery, attempt: Attempt, progress: DeliveryProgress): Promise<boolean>;
  /** Gives a claimed delivery back: it is due again at once. */
  release(claimed: WebhookDelivery, nowMs: number): Promise<void>;
  /** Nobody will try it any more. */
  end(delivery: WebhookDelivery, failure: DeliveryFailure): Promise<void>;
  /** Makes it due as if it were new, whatever became of it; false when there is none. */
  restart(endpointId: WebhookEndpointId, eventId: EventId, nowMs: number): Promise<boolean>;
  /** The same with all of an endpoint's that are over, by when their events were appended. */
  restartRange(
    endpointId: WebhookEndpointId,
    range: { readonly sinceMs: number; readonly untilMs: number },
    nowMs: number,
  ): Promise<number>;
  removeOf(endpointId: WebhookEndpointId): Promise<void>;
  removeBefore(timeMs: number): Promise<number>;
}

/** Attempts that are kept of one delivery. */
const attemptsMax = 20;

export function createDeliveryStore(
  deliveries: Collection<DeliveryDocument>,
  logger: Logger,
): DeliveryStore {
  return { ...records(deliveries), ...work(deliveries, logger), ...restarts(deliveries) };
}

type Deliveries = Collection<DeliveryDocument>;

function records(
  deliveries: Deliveries,
): Pick<DeliveryStore, 'insertMissing' | 'find' | 'page' | 'removeOf' | 'removeBefore'> {
  return {
    async insertMissing(wanted, nowMs) {
      if (wanted.length === 0) return 0;
      const docs = wanted.map((delivery) => toDocDelivery(delivery, nowMs));
      try {
        return (await deliveries.insertMany(docs, { ordered: false })).insertedCount;
      } catch (error) {
        // Another replica, or a try that was cut short, made some of them.
        if (!duplicateKeyOf(error) || !(error instanceof MongoBulkWriteError)) throw error;
        return error.insertedCount;
      }
    },
    async find(endpointId, eventId) {
      const found = await deliveries.findOne({ _id: keyOf(endpointId, eventId) });
      return found && fromDocDelivery(found);
    },
    async page(endpointId, { state, before, limit }) {
      const found = await deliveries
        .find({
          endpointId,
          ...(state === undefined ? {} : { state }),
          ...(before === undefined ? {} : { place: { $lt: before } }),
        })
        .sort({ place: -1 })
        .limit(limit)
        .toArray();
      return found.map((doc) => ({ delivery: fromDocDelivery(doc), place: doc.place }));
    },
    async removeOf(endpointId) {
      await deliveries.deleteMany({ endpointId });
    },
    async removeBefore(timeMs) {
      const { deletedCount } = await deliveries.deleteMany({ createdAt: { $lt: dateOf(timeMs) } });
      return deletedCount;
    },
  };
}

/** Taking deliveries on and saying how it went. */
function work(
  deliveries: Deliveries,
  logger: Logger,
): Pick<DeliveryStore, 'due' | 'claim' | 'record' | 'release' | 'end'> {
  return {
    async due(nowMs, withoutEndpoints, limit) {
      const found = await deliveries
        .find({
          state: 'pending',
          nextAttemptAt: { $lte: dateOf(nowMs) },
          ...(withoutEndpoints.length === 0 ? {} : { endpointId: { $nin: [...withoutEndpoints] } }),
        })
        .sort({ nextAttemptAt: 1 })
        .limit(limit)
        .toArray();
      return readEach(found, fromDocDelivery, logger);
    },
    async claim(delivery, untilMs) {
      const claim = delivery.claim + 1;
      const { matchedCount } = await deliveries.updateOne(
        {
          _id: keyOf(delivery.endpointId, delivery.eventId),
          claim: delivery.claim,
          state: 'pending',
        },
        { $set: { nextAttemptAt: dateOf(untilMs), claim } },
      );
      return matchedCount > 0 ? { ...delivery, claim, nextAttemptAtMs: untilMs } : null;
    },
    async record({ endpointId, eventId, claim }, attempt, progress) {
      const { matchedCount } = await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId), claim },
        {
          $set: toDocProgress(progress),
          $inc: { attemptsTotal: 1 },
          $push: { attempts: { $each: [toDocAttempt(attempt)], $slice: -attemptsMax } },
        },
      );
      return matchedCount > 0;
    },
    async release({ endpointId, eventId, claim }, nowMs) {
      await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId), claim, state: 'pending' },
        { $set: { nextAttemptAt: dateOf(nowMs) } },
      );
    },
    async end({ endpointId, eventId, claim }, failure) {
      await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId), claim, state: 'pending' },
        { $set: { state: 'failed', failure, nextAttemptAt: null } },
      );
    },
  };
}

function restarts(deliveries: Deliveries): Pick<DeliveryStore, 'restart' | 'restartRange'> {
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
    async restart(endpointId, eventId, nowMs) {
      const { matchedCount } = await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId) },
        restarted(nowMs),
      );
      return matchedCount > 0;
    },
    async restartRange(endpointId, { sinceMs, untilMs }, nowMs) {
      const { modifiedCount } = await deliveries.updateMany(
        {
          endpointId,
          state: { $in: ['delivered', 'failed'] },
          appendedAt: { $gte: dateOf(sinceMs), $lte: dateOf(untilMs) },
        },
        restarted(nowMs),
      );
      return modifiedCount;
    },
  };
}
