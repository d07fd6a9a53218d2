import { randomUUID } from 'node:crypto';
import type { WebhookEndpointId } from '@inventory/contracts/ids';
import { readFirst } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import {
  fromDocDelivery,
  keyOf,
  toDocAttempt,
  toDocDelivery,
  toDocProgress,
} from '../webhooks/delivery-mapping.ts';
import {
  type Attempt,
  type DeliveryFailure,
  type DeliveryProgress,
  pingType,
  type WebhookDelivery,
} from '../webhooks/webhook-delivery.domain.ts';
import type { DeliveryDocument } from '../webhooks/webhook-document.ts';
import { insertMissing } from './insert-missing.ts';

/** The result of an attempt under a claim. */
export interface AttemptReport {
  readonly claimed: WebhookDelivery;
  readonly attempt: Attempt;
  readonly progress: DeliveryProgress;
}

/** Pending deliveries: their queues, claims and results. */
export interface DeliveryClaims {
  /** Due deliveries of one endpoint, earliest first. */
  listDue(endpointId: WebhookEndpointId, nowMs: number, limit: number): Promise<WebhookDelivery[]>;
  /** When the next delivery after `nowMs` is due, or its claim expires; null without any. */
  findNextAttempt(endpointId: WebhookEndpointId, nowMs: number): Promise<number | null>;
  /** Due tests of all endpoints, earliest first. */
  listDuePings(nowMs: number, limit: number): Promise<WebhookDelivery[]>;
  /** The next endpoint, in order of ids, with a pending delivery; null after the last one. */
  findPendingEndpoint(after: WebhookEndpointId | null): Promise<WebhookEndpointId | null>;
  /** Claims deliveries until `untilMs`; returns those that were still pending and unclaimed. */
  claimDeliveries(due: readonly WebhookDelivery[], untilMs: number): Promise<WebhookDelivery[]>;
  /**
   * Returns how many were stored: a report of an earlier claim is not. The first report of a delivery
   * without a claim inserts it, unless another one did.
   */
  recordAttempts(reports: readonly AttemptReport[]): Promise<number>;
  /** Releases a claimed delivery: it is due at once. */
  releaseClaim(claimed: WebhookDelivery, nowMs: number): Promise<void>;
  /** Fails up to `limit` pending deliveries of an endpoint, tests excepted; returns how many. */
  failOfEndpoint(
    endpointId: WebhookEndpointId,
    failure: DeliveryFailure,
    limit: number,
  ): Promise<number>;
}

/** Stored attempts of one delivery. */
const attemptsMax = 20;
const pending = { state: 'pending' } as const;

export function createDeliveryClaims(
  deliveries: Collection<DeliveryDocument>,
  logger: Logger,
): DeliveryClaims {
  return { ...queries(deliveries, logger), ...writes(deliveries) };
}

function queries(
  deliveries: Collection<DeliveryDocument>,
  logger: Logger,
): Pick<DeliveryClaims, 'listDue' | 'findNextAttempt' | 'listDuePings' | 'findPendingEndpoint'> {
  const listSorted = (filter: Filter<DeliveryDocument>, limit: number) => {
    const found = deliveries.find({ ...filter, ...pending }).sort({ nextAttemptAt: 1 });
    return readFirst(found, limit, (document) => [fromDocDelivery(document)], logger);
  };

  return {
    listDue: (endpointId, nowMs, limit) =>
      listSorted(
        { endpointId, type: { $ne: pingType }, nextAttemptAt: { $lte: dateOf(nowMs) } },
        limit,
      ),
    async findNextAttempt(endpointId, nowMs) {
      const next = await deliveries.findOne(
        { ...pending, endpointId, nextAttemptAt: { $gt: dateOf(nowMs) } },
        { sort: { nextAttemptAt: 1 }, projection: { nextAttemptAt: 1 } },
      );
      return next?.nextAttemptAt?.getTime() ?? null;
    },
    listDuePings: (nowMs, limit) =>
      listSorted({ type: pingType, nextAttemptAt: { $lte: dateOf(nowMs) } }, limit),
    async findPendingEndpoint(after) {
      const next = await deliveries.findOne(
        { ...pending, ...(after !== null && { endpointId: { $gt: after } }) },
        { sort: { endpointId: 1 }, projection: { endpointId: 1 } },
      );
      return next?.endpointId ?? null;
    },
  };
}

function writes(
  deliveries: Collection<DeliveryDocument>,
): Pick<DeliveryClaims, 'claimDeliveries' | 'recordAttempts' | 'releaseClaim' | 'failOfEndpoint'> {
  return {
    async claimDeliveries(due, untilMs) {
      if (due.length === 0) return [];
      const claimedBy = randomUUID();
      const byClaim = Map.groupBy(due, ({ claim }) => claim);
      const results = await Promise.all(
        [...byClaim].map(([claim, some]) =>
          deliveries.updateMany(
            { _id: { $in: some.map(keyOfDelivery) }, claim, ...pending },
            { $set: { nextAttemptAt: dateOf(untilMs), claim: claim + 1, claimedBy } },
          ),
        ),
      );
      const matchedCount = results.reduce((sum, result) => sum + result.matchedCount, 0);
      const claimed = due.map((one) => ({
        ...one,
        claim: one.claim + 1,
        nextAttemptAtMs: untilMs,
      }));
      if (matchedCount === due.length) return claimed;
      // Others were claimed by another replica, or restarted.
      const own = await deliveries
        .find({ _id: { $in: due.map(keyOfDelivery) }, claimedBy }, { projection: { _id: 1 } })
        .toArray();
      const ownKeys = new Set(own.map(({ _id }) => _id));
      return claimed.filter((one) => ownKeys.has(keyOfDelivery(one)));
    },
    async recordAttempts(reports) {
      const claimed = reports.filter(({ claimed: { claim } }) => claim > 0);
      const first = reports.filter(({ claimed: { claim } }) => claim === 0);
      const [inserted, updated] = await Promise.all([
        insertMissing(deliveries, first.map(toDocReported)),
        updateReported(deliveries, claimed),
      ]);
      return inserted + updated;
    },
    async releaseClaim({ endpointId, eventId, claim }, nowMs) {
      await deliveries.updateOne(
        { _id: keyOf(endpointId, eventId), claim, ...pending },
        { $set: { nextAttemptAt: dateOf(nowMs) } },
      );
    },
    async failOfEndpoint(endpointId, failure, limit) {
      const found = await deliveries
        .find({ ...pending, endpointId, type: { $ne: pingType } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      if (found.length === 0) return 0;
      await deliveries.updateMany(
        { _id: { $in: found.map(({ _id }) => _id) }, ...pending },
        { $set: { state: 'failed', failure, nextAttemptAt: null } },
      );
      return found.length;
    },
  };
}

async function updateReported(
  deliveries: Collection<DeliveryDocument>,
  reports: readonly AttemptReport[],
): Promise<number> {
  if (reports.length === 0) return 0;
  const writes = reports.flatMap(reportWrites);
  return (await deliveries.bulkWrite(writes, { ordered: false })).matchedCount;
}

function toDocReported({ claimed, attempt, progress }: AttemptReport): DeliveryDocument {
  return {
    ...toDocDelivery(claimed, claimed.createdAtMs),
    ...toDocProgress(progress),
    attempts: [toDocAttempt(attempt)],
    attemptsTotal: 1,
  };
}

function keyOfDelivery({ endpointId, eventId }: WebhookDelivery): string {
  return keyOf(endpointId, eventId);
}

function reportWrites({
  claimed,
  attempt,
  progress,
}: AttemptReport): AnyBulkWriteOperation<DeliveryDocument>[] {
  const { endpointId, eventId, claim } = claimed;
  const filter = { _id: keyOf(endpointId, eventId), claim };
  const recorded = {
    $inc: { attemptsTotal: 1 },
    $push: { attempts: { $each: [toDocAttempt(attempt)], $slice: -attemptsMax } },
  };
  const update = { ...recorded, $set: toDocProgress(progress) };
  if (progress.state !== 'pending') return [{ updateOne: { filter, update } }];
  // One that was ended meanwhile, with its endpoint, has no next attempt.
  return [
    { updateOne: { filter: { ...filter, ...pending }, update } },
    { updateOne: { filter: { ...filter, state: 'failed' as const }, update: recorded } },
  ];
}
