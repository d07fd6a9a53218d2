import type { EventId, WebhookEndpointId } from '@inventory/contracts/ids';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { deleteInBatches, retryOnce } from '@inventory/mongo/many-documents';
import { parseDocument, readEach, readFirst } from '@inventory/mongo/parse-document';
import { createSharedInserts, sharedCommands } from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection, Filter, Sort } from 'mongodb';
import type { TimeRange } from '../log/project-log-store.ts';
import { type DeliveryProgress, pingType } from './webhook-delivery.domain.ts';
import {
  type DeliveryAttempt,
  type NewDelivery,
  type WebhookDelivery,
  webhookDocuments,
} from './webhook-document.ts';

export interface DeliveryPageQuery {
  readonly state?: WebhookDelivery['state'] | undefined;
  /** Created at this time or later. */
  readonly fromMs?: number | undefined;
  /** Created before this time. */
  readonly toMs?: number | undefined;
  /** Order key of the last item of the previous page. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The result of an attempt of a delivery as it was read. */
export interface AttemptReport {
  readonly delivery: WebhookDelivery;
  readonly attempt: DeliveryAttempt;
  readonly progress: DeliveryProgress;
}

export interface DeliveryBacklog {
  readonly due: number;
  /** Waiting for a retry. */
  readonly retrying: number;
}

type Deliveries = Collection<WebhookDelivery>;
type Failure = NonNullable<WebhookDelivery['failure']>;

const pending = { state: 'pending' } as const;
/** Stored attempts of one delivery. */
const attemptsMax = 20;
const insertsPerCommand = 200;
/** More of one endpoint are inserted by a command of their own. */
const sharedInsertMax = 20;
const reportsPerCommand = 200;
const restartsPerCommand = 500;
const countMax = 10_000;

/** Stores deliveries and their attempts. */
export function createDeliveryStore(deliveries: Deliveries, logger: Logger) {
  // Those of endpoints that are served together share a command.
  const inserts = createSharedInserts(deliveries, insertsPerCommand);

  return {
    ...reads(deliveries, logger),
    ...results(deliveries),
    ...restarts(deliveries),
    /** Inserts those that do not exist, due at once; returns how many. */
    async insertMissing(wanted: readonly NewDelivery[], nowMs: number): Promise<number> {
      // An interrupted run may have inserted some of them.
      const documents = wanted.map((delivery) => newDelivery(delivery, nowMs));
      // The backlog of one endpoint delays no other.
      if (documents.length > sharedInsertMax) {
        const known = await refusedWrites(deliveries.insertMany(documents, { ordered: false }));
        return documents.length - known.size;
      }
      const inserted = await Promise.all(documents.map((document) => inserts.add(document)));
      return inserted.filter(Boolean).length;
    },
    /** Whether none is left: it ends after about `deletedMax`. */
    async removeOfEndpoint(
      endpointId: WebhookEndpointId,
      deletedMax = Number.POSITIVE_INFINITY,
    ): Promise<boolean> {
      return (await deleteInBatches(deliveries, { endpointId }, { deletedMax })) < deletedMax;
    },
    removeCreatedBefore: (timeMs: number): Promise<number> =>
      deleteInBatches(deliveries, { createdAtMs: { $lt: timeMs } }),
  };
}

const timeDigits = 15;

/** Sorts before the keys of all deliveries created at the time or later. */
function orderKeyAt(timeMs: number): string {
  return String(timeMs).padStart(timeDigits, '0');
}

function keyOf(endpointId: WebhookEndpointId, eventId: EventId): string {
  return `${endpointId}/${eventId}`;
}

function newDelivery(wanted: NewDelivery, nowMs: number): WebhookDelivery {
  const { endpointId, projectId, eventId, type, body, appendedAtMs } = wanted;
  return {
    _id: keyOf(endpointId, eventId),
    endpointId,
    projectId,
    eventId,
    type,
    body,
    appendedAtMs,
    orderKey: `${orderKeyAt(nowMs)}/${eventId}`,
    createdAtMs: nowMs,
    ...dueFrom(nowMs),
    attempts: [],
    attemptsTotal: 0,
  };
}

/** With a new schedule. */
function dueFrom(nextAttemptAtMs: number) {
  return { ...pending, failure: null, failures: 0, nextAttemptAtMs };
}

const fromDocument = (stored: WebhookDelivery) => parseDocument(webhookDocuments.delivery, stored);

function reads(deliveries: Deliveries, logger: Logger) {
  const first = (filter: Filter<WebhookDelivery>, sort: Sort, limit: number) =>
    readFirst(deliveries.find(filter).sort(sort), limit, (found) => [fromDocument(found)], logger);

  return {
    /** Pending ones of an endpoint, the earliest due first; tests alone where nothing else is sent. */
    listPending: (endpointId: WebhookEndpointId, limit: number, types: 'all' | 'tests') =>
      first(
        { ...pending, endpointId, ...(types === 'tests' && { type: pingType }) },
        { nextAttemptAtMs: 1 },
        limit,
      ),
    /** Newest first. */
    listDeliveries: (endpointId: WebhookEndpointId, query: DeliveryPageQuery) =>
      first({ endpointId, ...filterOf(query) }, { orderKey: -1 }, query.limit),
    /** The deliveries of these events to these endpoints. */
    async findOfEvents(endpointIds: readonly WebhookEndpointId[], eventIds: readonly EventId[]) {
      const ids = endpointIds.flatMap((endpoint) =>
        eventIds.map((event) => keyOf(endpoint, event)),
      );
      const found = await deliveries.find({ _id: { $in: ids } }).toArray();
      return readEach(found, fromDocument, logger);
    },
    /** Counts pending deliveries by index, up to 10,000. */
    async countBacklog(nowMs: number): Promise<DeliveryBacklog> {
      const due = { ...pending, nextAttemptAtMs: { $lte: nowMs } };
      const later = { ...pending, nextAttemptAtMs: { $gt: nowMs } };
      const [dueCount, retrying] = await Promise.all([
        deliveries.countDocuments(due, { limit: countMax }),
        deliveries.countDocuments(later, { limit: countMax }),
      ]);
      return { due: dueCount, retrying };
    },
  };
}

function filterOf({ state, fromMs, toMs, before }: DeliveryPageQuery) {
  const [end] = [before, toMs === undefined ? undefined : orderKeyAt(toMs)]
    .filter((orderKey) => orderKey !== undefined)
    .sort();
  const orderKey = {
    ...(fromMs !== undefined && { $gte: orderKeyAt(fromMs) }),
    ...(end !== undefined && { $lt: end }),
  };
  return {
    ...(state !== undefined && { state }),
    ...(Object.keys(orderKey).length > 0 && { orderKey }),
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
    async failOfEndpoint(endpointId: WebhookEndpointId, failure: Failure, limit: number) {
      const found = await deliveries
        .find({ ...pending, endpointId, type: { $ne: pingType } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      if (found.length === 0) return 0;
      const which = { endpointId, _id: { $in: found.map(({ _id }) => _id) }, ...pending };
      const ended = { state: 'failed', failure, nextAttemptAtMs: null } as const;
      await retryOnce(() => deliveries.updateMany(which, { $set: ended }));
      return found.length;
    },
  };
}

function reportWrite({ delivery, attempt, progress }: AttemptReport) {
  const { _id, endpointId, attemptsTotal, nextAttemptAtMs } = delivery;
  return {
    updateOne: {
      filter: { _id, endpointId, attemptsTotal, nextAttemptAtMs, ...pending },
      update: {
        $set: progress,
        $inc: { attemptsTotal: 1 },
        $push: { attempts: { $each: [attempt], $slice: -attemptsMax } },
      },
    },
  };
}

function restarts(deliveries: Deliveries) {
  const terminalIn = (endpointId: WebhookEndpointId, { sinceMs, untilMs }: TimeRange) => ({
    endpointId,
    state: { $in: ['delivered' as const, 'failed' as const] },
    appendedAtMs: { $gte: sinceMs, $lte: untilMs },
  });
  async function restart(endpointId: WebhookEndpointId, ids: readonly string[], nowMs: number) {
    const which = { endpointId, _id: { $in: [...ids] } };
    const update = { $set: dueFrom(nowMs) };
    return (await retryOnce(() => deliveries.updateMany(which, update))).matchedCount;
  }

  return {
    /** Makes it due with a new schedule, in any state; false when there is none. */
    restartDelivery: async (endpointId: WebhookEndpointId, eventId: EventId, nowMs: number) =>
      (await restart(endpointId, [keyOf(endpointId, eventId)], nowMs)) > 0,
    /**
     * When the terminal delivery was appended that follows the first `count` ones of a time range, by
     * which the events are meant; null where there is none.
     */
    async findAppendedAfter(endpointId: WebhookEndpointId, range: TimeRange, count: number) {
      const next = await deliveries.findOne(terminalIn(endpointId, range), {
        sort: { appendedAtMs: 1 },
        skip: count,
        projection: { appendedAtMs: 1 },
      });
      return next?.appendedAtMs ?? null;
    },
    /** Restarts the terminal deliveries of events appended in a time range, in parts; how many. */
    async restartRange(endpointId: WebhookEndpointId, range: TimeRange, nowMs: number) {
      let count = 0;
      let part: string[] = [];
      const found = deliveries
        .find(terminalIn(endpointId, range), { projection: { _id: 1 } })
        .sort({ appendedAtMs: 1 })
        .batchSize(restartsPerCommand);
      for await (const { _id } of found) {
        part.push(_id);
        if (part.length < restartsPerCommand) continue;
        count += await restart(endpointId, part, nowMs);
        part = [];
      }
      return part.length === 0 ? count : count + (await restart(endpointId, part, nowMs));
    },
  };
}
