import { randomUUID } from 'node:crypto';
import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type Collection, type Filter, MongoBulkWriteError } from 'mongodb';
import {
  type Attempt,
  type DeliveryFailure,
  type DeliveryProgress,
  pingType,
  type WebhookDelivery,
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
  /** Place of the last item of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Stores deliveries and their attempts. */
export interface DeliveryStore {
  /** Inserts those that do not exist, due at once; returns how many. */
  insertMissing(deliveries: readonly NewDelivery[], nowMs: number): Promise<number>;
  findDelivery(endpointId: WebhookEndpointId, eventId: EventId): Promise<WebhookDelivery | null>;
  /** Newest first. */
  listDeliveries(
    endpointId: WebhookEndpointId,
    query: DeliveryPageQuery,
  ): Promise<{ readonly delivery: WebhookDelivery; readonly place: string }[]>;
  /** Endpoints with a pending delivery. */
  listPendingEndpoints(): Promise<WebhookEndpointId[]>;
  /** Due deliveries of one endpoint, earliest first. */
  listDue(endpointId: WebhookEndpointId, nowMs: number, limit: number): Promise<WebhookDelivery[]>;
  /** Due tests of all endpoints, earliest first. */
  listDuePings(nowMs: number, limit: number): Promise<WebhookDelivery[]>;
  /** Claims deliveries until `untilMs`; returns those that were still pending and unclaimed. */
  claimDeliveries(due: readonly WebhookDelivery[], untilMs: number): Promise<WebhookDelivery[]>;
  /** False when the claim is no longer the latest: then nothing is written. */
  recordAttempt(
    claimed: WebhookDelivery,
    attempt: Attempt,
    progress: DeliveryProgress,
  ): Promise<boolean>;
  /** Releases a claimed delivery: it is due at once. */
  releaseClaim(claimed: WebhookDelivery, nowMs: number): Promise<void>;
  /** Fails the pending deliveries of an endpoint, tests excepted, in one write. */
  failOfEndpoint(endpointId: WebhookEndpointId, failure: DeliveryFailure): Promise<void>;
  /** Makes it due with a new schedule, in any state; false when there is none. */
  restartDelivery(endpointId: WebhookEndpointId, eventId: EventId, nowMs: number): Promise<boolean>;
  /** Restarts the terminal deliveries of events appended in a time range; returns how many. */
  restartRange(
    endpointId: WebhookEndpointId,
    range: { readonly sinceMs: number; readonly untilMs: number },
    nowMs: number,
  ): Promise<number>;
  removeOfEndpoint(endpointId: WebhookEndpointId): Promise<void>;
  removeCreatedBefore(timeMs: number): Promise<number>;
}

/** Stored attempts of one delivery. */
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
): Pick<
  DeliveryStore,
  'insertMissing' | 'findDelivery' | 'listDeliveries' | 'removeOfEndpoint' | 'removeCreatedBefore'
> {
  return {
    async insertMissing(wanted, nowMs) {
      if (wanted.length === 0) return 0;
      const docs = wanted.map((delivery) => toDocDelivery(delivery, nowMs));
      try {
        return (await deliveries.insertMany(docs, { ordered: false })).insertedCount;
      } catch (error) {
        // Another replica, or an interrupted run, inserted some of them.
        if (!duplicateKeyOf(error) || !(error instanceof MongoBulkWriteError)) throw error;
        return error.insertedCount;
      }
    },
    async findDelivery(endpointId, eventId) {
      const found = await deliveries.findOne({ _id: keyOf(endpointId, eventId) });
      return found && fromDocDelivery(found);
    },
    async listDeliveries(endpointId, { state, before, limit }) {
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
    async removeOfEndpoint(endpointId) {
      await deliveries.deleteMany({ endpointId });
    },
    async removeCreatedBefore(timeMs) {
      const { deletedCount } = await deliveries.deleteMany({ createdAt: { $lt: dateOf(timeMs) } });
      return deletedCount;
    },
  };
}

/** Claims deliveries and records their results. */
function work(
  deliveries: Deliveries,
  logger: Logger,
): Pick<
  DeliveryStore,
  | 'listPendingEndpoints'
  | 'listDue'
  | 'listDuePings'
  | 'claimDeliveries'
  | 'recordAttempt'
  | 'releaseClaim'
  | 'failOfEndpoint'
> {
  const pending = { state: 'pending' } as const;
  const listSorted = async (filter: Filter<DeliveryDocument>, limit: number) => {
    const found = deliveries.find({ ...filter, ...pending }).sort({ nextAttemptAt: 1 });
    return readEach(await found.limit(limit).toArray(), fromDocDelivery, logger);
  };

  return {
    listPendingEndpoints: () => deliveries.distinct('endpointId', pending),
    listDue: (endpointId, nowMs, limit) =>
      listSorted({ endpointId, nextAttemptAt: { $lte: dateOf(nowMs) } }, limit),
    listDuePings: (nowMs, limit) =>
      listSorted({ type: pingType, nextAttemptAt: { $lte: dateOf(nowMs) } }, limit),
    async claimDeliveries(due, untilMs) {
      if (due.length === 0) return [];
      const claimedBy = randomUUID();
      const { matchedCount } = await deliveries.bulkWrite(
        due.map(({ endpointId, eventId, claim }) => ({
          updateOne: {
            filter: { _id: keyOf(endpointId, eventId), claim, ...pending },
            update: { $set: { nextAttemptAt: dateOf(untilMs), claim: claim + 1, claimedBy } },
          },
        })),
        { ordered: false },
      );
      const claimed = due.map((one) => ({
        ...one,
        claim: one.claim + 1,
        nextAttemptAtMs: untilMs,
      }));
      if (matchedCount === due.length) return claimed;
      // Another replica claimed some of them.
      const keys = due.map(({ endpointId, eventId }) => keyOf(endpointId, eventId));
      const own = await deliveries
        .find({ _id: { $in: keys }, claimedBy }, { projection: { eventId: 1 } })
        .toArray();
      const ids = new Set(own.map(({ eventId }) => eventId));
      return claimed.filter(({ eventId }) => ids.has(eventId));
    },
    async recordAttempt({ endpointId, eventId, claim }, attempt, progress) {
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
    async releaseClaim({ endpointId, eventId, claim }, nowMs) {
      await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId), claim, state: 'pending' },
        { $set: { nextAttemptAt: dateOf(nowMs) } },
      );
    },
    async failOfEndpoint(endpointId, failure) {
      await deliveries.updateMany(
        { endpointId, type: { $ne: pingType }, ...pending },
        { $set: { state: 'failed', failure, nextAttemptAt: null } },
      );
    },
  };
}

function restarts(deliveries: Deliveries): Pick<DeliveryStore, 'restartDelivery' | 'restartRange'> {
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
