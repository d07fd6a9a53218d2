import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { readFirst } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import {
  fromDocDelivery,
  keyOf,
  type NewDelivery,
  placeAt,
  toDocAttempt,
  toDocDelivery,
  toDocProgress,
} from './delivery-mapping.ts';
import {
  type Attempt,
  type DeliveryFailure,
  type DeliveryProgress,
  pingType,
  type WebhookDelivery,
} from './webhook-delivery.domain.ts';
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

/** The result of an attempt of a delivery as it was read. */
export interface AttemptReport {
  readonly delivery: WebhookDelivery;
  readonly attempt: Attempt;
  readonly progress: DeliveryProgress;
}

export interface DeliveryBacklog {
  readonly due: number;
  /** When the oldest due delivery became due; null when none is. */
  readonly dueSinceMs: number | null;
  /** Waiting for a retry. */
  readonly retrying: number;
}

type Deliveries = Collection<DeliveryDocument>;

const pending = { state: 'pending' } as const;
/** Stored attempts of one delivery. */
const attemptsMax = 20;
const insertsPerCommand = 200;
/** More are inserted by a command of their own. */
const sharedInsertMax = 20;
const reportsPerCommand = 200;
const restartsPerCommand = 500;
const countMax = 10_000;

/** Stores deliveries and their attempts. */
export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export function createDeliveryStore(deliveries: Deliveries, logger: Logger) {
  async function insert(documents: readonly DeliveryDocument[]): Promise<boolean[]> {
    // An interrupted turn may have inserted some of them.
    const known = await refusedWrites(deliveries.insertMany([...documents], { ordered: false }));
    return documents.map((_document, index) => !known.has(index));
  }

  // Those of endpoints that have their turns together share a command.
  const inserts = createBatcher<DeliveryDocument, boolean>({
    ...sharedCommands,
    itemsMax: insertsPerCommand,
    flush: insert,
  });

  return {
    ...reads(deliveries, logger),
    ...results(deliveries),
    ...restarts(deliveries),
    /** Inserts those that do not exist, due at once; returns how many. */
    async insertMissing(wanted: readonly NewDelivery[], nowMs: number): Promise<number> {
      const documents = wanted.map((delivery) => toDocDelivery(delivery, nowMs));
      // The backlog of one endpoint delays no other.
      const isBacklog = documents.length > sharedInsertMax;
      const inserted = isBacklog
        ? await insert(documents)
        : await Promise.all(documents.map((document) => inserts.add(document)));
      return inserted.filter(Boolean).length;
    },
    async removeOfEndpoint(endpointId: WebhookEndpointId): Promise<void> {
      await deliveries.deleteMany({ endpointId });
    },
    async removeCreatedBefore(timeMs: number): Promise<number> {
      const { deletedCount } = await deliveries.deleteMany({ createdAt: { $lt: dateOf(timeMs) } });
      return deletedCount;
    },
  };
}

function reads(deliveries: Deliveries, logger: Logger) {
  return {
    /** Pending ones of an endpoint, the earliest due first; tests alone where nothing else is sent. */
    listPending(endpointId: WebhookEndpointId, limit: number, types: 'all' | 'tests') {
      const filter = { ...pending, endpointId, ...(types === 'tests' && { type: pingType }) };
      const found = deliveries.find(filter).sort({ nextAttemptAt: 1 });
      return readFirst(found, limit, (document) => [fromDocDelivery(document)], logger);
    },
    /** Newest first. */
    async listDeliveries(endpointId: WebhookEndpointId, { limit, ...query }: DeliveryPageQuery) {
      const found = await deliveries
        .find({ endpointId, ...filterOf(query) })
        .sort({ place: -1 })
        .limit(limit)
        .toArray();
      return found.map((doc) => ({ delivery: fromDocDelivery(doc), place: doc.place }));
    },
    /** The deliveries of these events to these endpoints. */
    async findOfEvents(endpointIds: readonly WebhookEndpointId[], eventIds: readonly EventId[]) {
      const ids = endpointIds.flatMap((endpoint) =>
        eventIds.map((event) => keyOf(endpoint, event)),
      );
      const found = await deliveries.find({ _id: { $in: ids } }).toArray();
      return found.map(fromDocDelivery);
    },
    /** Counts pending deliveries by index, up to 10,000. */
    async countBacklog(nowMs: number): Promise<DeliveryBacklog> {
      const due = { ...pending, nextAttemptAt: { $lte: dateOf(nowMs) } };
      const later = { ...pending, nextAttemptAt: { $gt: dateOf(nowMs) } };
      const [dueCount, retrying, first] = await Promise.all([
        deliveries.countDocuments(due, { limit: countMax }),
        deliveries.countDocuments(later, { limit: countMax }),
        deliveries.findOne(due, { sort: { nextAttemptAt: 1 }, projection: { nextAttemptAt: 1 } }),
      ]);
      return { due: dueCount, retrying, dueSinceMs: first?.nextAttemptAt?.getTime() ?? null };
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

function results(deliveries: Deliveries) {
  const reports = createBatcher<AttemptReport, null>({
    ...sharedCommands,
    itemsMax: reportsPerCommand,
    async flush(some) {
      await deliveries.bulkWrite(some.map(reportWrite), { ordered: false });
      return some.map(() => null);
    },
  });
  return {
    /** A report has no effect on a delivery that was restarted or attempted since it was read. */
    async recordAttempt(report: AttemptReport): Promise<void> {
      await reports.add(report);
    },
    /** Fails up to `limit` pending deliveries of an endpoint, tests excepted; returns how many. */
    async failOfEndpoint(endpointId: WebhookEndpointId, failure: DeliveryFailure, limit: number) {
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

function reportWrite({ delivery, attempt, progress }: AttemptReport) {
  const { endpointId, eventId, attemptsTotal, nextAttemptAtMs } = delivery;
  const asRead = { attemptsTotal, nextAttemptAt: dateOrNull(nextAttemptAtMs), ...pending };
  return {
    updateOne: {
      filter: { _id: keyOf(endpointId, eventId), ...asRead },
      update: {
        $set: toDocProgress(progress),
        $inc: { attemptsTotal: 1 },
        $push: { attempts: { $each: [toDocAttempt(attempt)], $slice: -attemptsMax } },
      },
    },
  };
}

function restarts(deliveries: Deliveries) {
  const terminalIn = (endpointId: WebhookEndpointId, { sinceMs, untilMs }: TimeRange) => ({
    endpointId,
    state: { $in: ['delivered' as const, 'failed' as const] },
    appendedAt: { $gte: dateOf(sinceMs), $lte: dateOf(untilMs) },
  });
  const restarted = (nowMs: number) => ({
    $set: { ...pending, failure: null, failures: 0, nextAttemptAt: dateOf(nowMs) },
  });
  const restart = async (ids: readonly string[], nowMs: number) =>
    (await deliveries.updateMany({ _id: { $in: [...ids] } }, restarted(nowMs))).matchedCount;

  return {
    /** Makes it due with a new schedule, in any state; false when there is none. */
    restartDelivery: async (endpointId: WebhookEndpointId, eventId: EventId, nowMs: number) =>
      (await restart([keyOf(endpointId, eventId)], nowMs)) > 0,
    /**
     * When the terminal delivery was appended that follows the first `count` ones of a time range, by
     * which the events are meant; null where there is none.
     */
    async findAppendedAfter(endpointId: WebhookEndpointId, range: TimeRange, count: number) {
      const next = await deliveries.findOne(terminalIn(endpointId, range), {
        sort: { appendedAt: 1 },
        skip: count,
        projection: { appendedAt: 1 },
      });
      return next?.appendedAt?.getTime() ?? null;
    },
    /** Restarts the terminal deliveries of events appended in a time range, in parts; how many. */
    async restartRange(endpointId: WebhookEndpointId, range: TimeRange, nowMs: number) {
      let count = 0;
      let part: string[] = [];
      const found = deliveries
        .find(terminalIn(endpointId, range), { projection: { _id: 1 } })
        .sort({ appendedAt: 1 })
        .batchSize(restartsPerCommand);
      for await (const { _id } of found) {
        part.push(_id);
        if (part.length < restartsPerCommand) continue;
        count += await restart(part, nowMs);
        part = [];
      }
      return part.length === 0 ? count : count + (await restart(part, nowMs));
    },
  };
}
