import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { TextSealer } from '@inventory/runtime/text-sealer';
import { createWorkQueue, type MadeDue, makeDue, type WorkQueue } from '@inventory/work/work-queue';
import type { Collection, Filter } from 'mongodb';
import type { EndpointHealth } from './endpoint-health.domain.ts';
import {
  type EndpointFields,
  fromDocEndpoint,
  toDocEndpoint,
  toDocFields,
  toDocHealth,
} from './endpoint-mapping.ts';
import { type EndpointDocument, webhookDocuments } from './webhook-document.ts';
import type { DisabledReason, EndpointPace, WebhookEndpoint } from './webhook-endpoint.domain.ts';

/** An endpoint whose turn it is. */
export type EndpointTurn = Pick<WebhookEndpoint, 'id' | 'projectId' | 'accountId'>;

/** Whose endpoints are meant. */
export type OfEndpoints =
  | { readonly endpointId: WebhookEndpointId }
  /** Enabled ones. */
  | { readonly projectId: ProjectId }
  /** Those with something to do. */
  | { readonly waitingOf: { readonly projectId: ProjectId | null; readonly accountId: AccountId } };

export interface HealthChange {
  readonly health: EndpointHealth;
  readonly disabled?: { readonly reason: DisabledReason; readonly atMs: number };
}

const endpointsPerCommand = 100;
const notRemoved = { removedAt: { $exists: false } };

type Endpoints = Collection<EndpointDocument>;

/** Stores the webhook endpoints of Projects; their secrets are encrypted. */
export type EndpointStore = ReturnType<typeof createEndpointStore>;

export function createEndpointStore(endpoints: Endpoints, sealer: TextSealer, logger: Logger) {
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

  /** A corrupt one fails alone. */
  const reads = createBatcher<WebhookEndpointId, EndpointDocument | undefined>({
    ...sharedCommands,
    itemsMax: endpointsPerCommand,
    async flush(ids) {
      const found = await endpoints.find({ endpointId: { $in: [...new Set(ids)] } }).toArray();
      const byId = new Map(found.map((doc) => [doc.endpointId, doc]));
      return ids.map((id) => byId.get(id));
    },
  });

  return {
    /** False when the Project has `endpointsMax` endpoints. */
    async insertEndpoint(endpoint: WebhookEndpoint, endpointsMax: number): Promise<boolean> {
      for (let number = 0; number < endpointsMax; number += 1) {
        if (await tryInsert(endpoint, slotOf(endpoint.projectId, number))) return true;
      }
      return false;
    },
    async findEndpoint(projectId: ProjectId, endpointId: WebhookEndpointId) {
      const found = await endpoints.findOne({ _id: slotsOf(projectId), endpointId, ...notRemoved });
      return found && fromDoc(found);
    },
    /** Oldest first. */
    async listEndpoints(projectId: ProjectId): Promise<WebhookEndpoint[]> {
      const found = await endpoints.find({ _id: slotsOf(projectId), ...notRemoved }).toArray();
      return found
        .map(fromDoc)
        .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    },
    /** Reads it now, also while it is being deleted. */
    async readEndpoint(id: WebhookEndpointId): Promise<WebhookEndpoint | null> {
      const found = await reads.add(id);
      return found === undefined ? null : fromDoc(found);
    },
    /** False when it was changed or deleted since it was read. */
    async updateEndpoint(read: WebhookEndpoint, fields: Partial<EndpointFields>) {
      const { version } = read;
      const changed = toDocFields(fields, read.id, sealer);
      return update(endpoints, read, { ...changed, version: version + 1 });
    },
    /** Stores what its responses say; false when it was changed or deleted since it was read. */
    async recordHealth(read: WebhookEndpoint, { health, disabled }: HealthChange) {
      const state = disabled && {
        ...{ state: 'disabled' as const, disabledReason: disabled.reason },
        ...{ changedAt: dateOf(disabled.atMs), version: read.version + 1 },
      };
      return update(endpoints, read, { ...toDocHealth(health), ...state });
    },
    /** Hides it, and makes it due by then: its turn deletes it. False when there is none. */
    async markRemoved(
      projectId: ProjectId,
      endpointId: WebhookEndpointId,
      nowMs: number,
      dueAtMs: number,
    ): Promise<boolean> {
      const { matchedCount } = await endpoints.updateOne(
        { _id: slotsOf(projectId), endpointId, ...notRemoved },
        {
          $set: { removedAt: dateOf(nowMs), state: 'disabled' },
          // Not before a claim ends.
          $min: { 'work.dueAt': dateOf(dueAtMs) },
          $inc: { 'work.tries': 0, version: 1 },
        },
      );
      return matchedCount > 0;
    },
    /** Deletes one that was marked; its slot is free. */
    async deleteRemoved(endpointId: WebhookEndpointId): Promise<void> {
      await endpoints.deleteOne({ endpointId, removedAt: { $exists: true } });
    },
    ...turns(endpoints, logger),
  };
}

async function update(
  endpoints: Endpoints,
  { projectId, id: endpointId, version }: WebhookEndpoint,
  fields: Partial<EndpointDocument>,
): Promise<boolean> {
  const { matchedCount } = await endpoints.updateOne(
    { _id: slotsOf(projectId), endpointId, version, ...notRemoved },
    { $set: fields },
  );
  return matchedCount > 0;
}

function turns(endpoints: Endpoints, logger: Logger) {
  const dues = createBatcher<MadeDue<EndpointDocument>, boolean>({
    ...sharedCommands,
    itemsMax: endpointsPerCommand,
    async flush(wanted) {
      const anyIsDue = await makeDue(endpoints, wanted);
      return wanted.map(() => anyIsDue);
    },
  });
  return {
    /** Gives endpoints a turn then at the latest; false when there are none. */
    makeDue: (of: OfEndpoints, dueAtMs: number) =>
      dues.add({ which: whichOf(of, dueAtMs), dueAtMs }),
    /** The turns of the endpoints of one pace; accounts take turns. */
    turnsOf: (pace: EndpointPace): WorkQueue<EndpointTurn> =>
      createWorkQueue({
        collection: endpoints,
        documents: webhookDocuments.turn,
        where: { pace },
        keyField: 'accountId',
        projection: { endpointId: 1, projectId: 1, accountId: 1, work: 1 },
        toItem: ({ endpointId: id, projectId, accountId }) => ({ id, projectId, accountId }),
        completed: 'kept',
        logger,
      }),
  };
}

function whichOf(of: OfEndpoints, nowMs: number): Filter<EndpointDocument> {
  if ('endpointId' in of) return of;
  if ('projectId' in of) return { _id: slotsOf(of.projectId), state: 'enabled' };
  const { projectId, accountId } = of.waitingOf;
  const waiting = { 'work.dueAt': { $gt: dateOf(nowMs) } } as Filter<EndpointDocument>;
  return { ...(projectId === null ? { accountId } : { _id: slotsOf(projectId) }), ...waiting };
}

function slotOf(projectId: ProjectId, number: number): string {
  return `${projectId}/${number}`;
}

/** `0` is the character after `/`. */
function slotsOf(projectId: ProjectId): { $gt: string; $lt: string } {
  return { $gt: `${projectId}/`, $lt: `${projectId}0` };
}
