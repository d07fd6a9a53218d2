import type { ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { readFirst } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { TextSealer } from '@inventory/runtime/text-sealer';
import type { Collection } from 'mongodb';
import { enqueued } from '../storage/endpoint-queues.ts';
import {
  type EndpointFields,
  fromDocEndpoint,
  toDocEndpoint,
  toDocFields,
} from './endpoint-mapping.ts';
import type { EndpointDocument } from './webhook-document.ts';
import type { WebhookEndpoint } from './webhook-endpoint.domain.ts';

/** Stores the webhook endpoints of Projects; their secrets are encrypted. */
export interface EndpointStore {
  /** False when the Project has `endpointsMax` endpoints. */
  insertEndpoint(endpoint: WebhookEndpoint, endpointsMax: number): Promise<boolean>;
  findEndpoint(projectId: ProjectId, id: WebhookEndpointId): Promise<WebhookEndpoint | null>;
  /** Oldest first. */
  listEndpoints(projectId: ProjectId): Promise<WebhookEndpoint[]>;
  /** The enabled endpoints of some Projects. */
  listEnabledIds(projectIds: readonly ProjectId[]): Promise<WebhookEndpointId[]>;
  /**
   * False when it was changed or deleted since it was read. With a pause its queue is due at the
   * end of the pause; else at `dueAtMs` at the latest, where it is given.
   */
  updateEndpoint(
    read: WebhookEndpoint,
    fields: Partial<EndpointFields>,
    dueAtMs?: number | null,
  ): Promise<boolean>;
  removeEndpoint(projectId: ProjectId, id: WebhookEndpointId): Promise<boolean>;
  /**
   * Enabled endpoints whose poll is due. Each is claimed by one replica, until `againAtMs`.
   */
  claimForReading(nowMs: number, againAtMs: number, limit: number): Promise<WebhookEndpoint[]>;
  /**
   * Every event before `to` has its delivery; with `dueAtMs` some were inserted, due then. False when
   * the endpoint changed since it was read.
   */
  advancePosition(read: WebhookEndpoint, to: number, dueAtMs: number | null): Promise<boolean>;
}

interface Advance {
  readonly read: WebhookEndpoint;
  readonly to: number;
  readonly dueAtMs: number | null;
}

const advancesPerWrite = 100;

export function createEndpointStore(
  endpoints: Collection<EndpointDocument>,
  sealer: TextSealer,
  logger: Logger,
): EndpointStore {
  const fromDoc = (doc: EndpointDocument) => fromDocEndpoint(doc, sealer);

  async function tryInsert(endpoint: WebhookEndpoint, slot: string): Promise<boolean> {
    try {
      await endpoints.insertOne(toDocEndpoint(endpoint, slot, sealer));
      return true;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
      return false;
    }
  }

  const advances = createAdvances(endpoints);

  return {
    async insertEndpoint(endpoint, endpointsMax) {
      for (let number = 0; number < endpointsMax; number += 1) {
        if (await tryInsert(endpoint, slotOf(endpoint.projectId, number))) return true;
      }
      return false;
    },
    async findEndpoint(projectId, endpointId) {
      const found = await endpoints.findOne({ _id: slotsOf(projectId), endpointId });
      return found && fromDoc(found);
    },
    async listEndpoints(projectId) {
      const found = await endpoints.find({ _id: slotsOf(projectId) }).toArray();
      return found
        .map(fromDoc)
        .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    },
    async listEnabledIds(projectIds) {
      if (projectIds.length === 0) return [];
      const ranges = projectIds.map((projectId) => ({ _id: slotsOf(projectId) }));
      const found = await endpoints
        .find({ $or: ranges })
        .project<Pick<EndpointDocument, 'endpointId' | 'state'>>({
          ...{ _id: 0, endpointId: 1, state: 1 },
        })
        .toArray();
      // Filtered here: with the state in the query its indexes would be candidates, too.
      return found.flatMap(({ endpointId, state }) => (state === 'enabled' ? [endpointId] : []));
    },
    async updateEndpoint({ projectId, id: endpointId, version }, fields, dueAtMs = null) {
      const pausedUntilMs = fields.health?.pausedUntilMs ?? 0;
      const isPause = pausedUntilMs > 0;
      const queue = isPause
        ? { $inc: { queueVersion: 1 } }
        : { ...(dueAtMs !== null && enqueued(dueAtMs)) };
      const { matchedCount } = await endpoints.updateOne(
        { _id: slotsOf(projectId), endpointId, version },
        {
          ...queue,
          $set: {
            ...toDocFields(fields, endpointId, sealer),
            ...(isPause && { queueDueAt: dateOf(pausedUntilMs) }),
            version: version + 1,
          },
        },
      );
      return matchedCount > 0;
    },
    async removeEndpoint(projectId, endpointId) {
      const { deletedCount } = await endpoints.deleteOne({ _id: slotsOf(projectId), endpointId });
      return deletedCount > 0;
    },
    async claimForReading(nowMs, againAtMs, limit) {
      const query = endpoints
        .find({ state: 'enabled', nextReadAt: { $lte: dateOf(nowMs) } })
        .sort({ nextReadAt: 1 });
      const read = (doc: EndpointDocument) => [{ doc, endpoint: fromDoc(doc) }];
      const due = await readFirst(query, limit, read, logger);
      const claimed: WebhookEndpoint[] = [];
      for (const { doc, endpoint } of due) {
        const { _id, endpointId, nextReadAt } = doc;
        const { matchedCount } = await endpoints.updateOne(
          { _id, endpointId, nextReadAt },
          // Its queue is examined too, in case a crash left it behind.
          { ...enqueued(nowMs), $set: { nextReadAt: dateOf(againAtMs) } },
        );
        if (matchedCount > 0) claimed.push(endpoint);
      }
      return claimed;
    },
    advancePosition: (read, to, dueAtMs) => advances.add({ read, to, dueAtMs }),
  };
}

/** Advances positions; those that are advanced together share a write. */
function createAdvances(endpoints: Collection<EndpointDocument>) {
  return createBatcher<Advance, boolean>({
    ...sharedCommands,
    itemsMax: advancesPerWrite,
    async flush(wanted) {
      const writes = wanted.map(({ read, to, dueAtMs }) => ({
        updateOne: {
          filter: placeOf(read),
          update: { ...(dueAtMs !== null && enqueued(dueAtMs)), $set: { nextPosition: to } },
        },
      }));
      const { matchedCount } = await endpoints.bulkWrite(writes, { ordered: false });
      if (matchedCount === wanted.length) return wanted.map(() => true);
      // One that another replica advanced to the same position is advanced, too.
      const found = await endpoints
        .find({ $or: wanted.map(({ read, to }) => placeOf({ ...read, nextPosition: to })) })
        .project<Pick<EndpointDocument, 'endpointId'>>({ _id: 0, endpointId: 1 })
        .toArray();
      const advanced = new Set(found.map(({ endpointId }) => endpointId));
      return wanted.map(({ read }) => advanced.has(read.id));
    },
  });
}

/** The endpoint as it was read. */
function placeOf({ id: endpointId, nextPosition, version }: WebhookEndpoint) {
  return { endpointId, nextPosition, version };
}

function slotOf(projectId: ProjectId, number: number): string {
  return `${projectId}/${number}`;
}

/** `0` is the character after `/`. */
function slotsOf(projectId: ProjectId): { $gt: string; $lt: string } {
  return { $gt: `${projectId}/`, $lt: `${projectId}0` };
}
