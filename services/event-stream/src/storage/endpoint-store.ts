import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import type { EventType, WebhookEndpoint } from '../domain/webhook-endpoint.ts';
import {
  type EndpointFields,
  fromDocEndpoint,
  toDocEndpoint,
  toDocFields,
} from './endpoint-mapping.ts';
import type { SecretSealer } from './sealed-secret.ts';
import type { EndpointDocument } from './webhook-collections.ts';

/** Keeps the webhook endpoints of Projects; their secrets lie sealed. */
export interface EndpointStore {
  /** False when the Project has all the endpoints it can have. */
  insert(endpoint: WebhookEndpoint, endpointsMax: number): Promise<boolean>;
  find(projectId: ProjectId, id: WebhookEndpointId): Promise<WebhookEndpoint | null>;
  /** The oldest first. */
  list(projectId: ProjectId): Promise<WebhookEndpoint[]>;
  findMany(ids: readonly WebhookEndpointId[]): Promise<WebhookEndpoint[]>;
  /** Projects of the account that have an enabled endpoint for this type of event. */
  projectsSubscribed(accountId: AccountId, type: EventType): Promise<ProjectId[]>;
  /** False when it was changed or deleted since it was read. */
  save(read: WebhookEndpoint, fields: Partial<EndpointFields>): Promise<boolean>;
  remove(projectId: ProjectId, id: WebhookEndpointId): Promise<boolean>;
  /**
   * Enabled endpoints whose log has not been looked at for a while. Each is taken by one replica,
   * until `againAtMs`.
   */
  takeForReading(nowMs: number, againAtMs: number, limit: number): Promise<WebhookEndpoint[]>;
  /** Every event before `to` has its delivery. Nothing when somebody else moved it. */
  advance(read: WebhookEndpoint, to: number): Promise<boolean>;
}

export function createEndpointStore(
  endpoints: Collection<EndpointDocument>,
  sealer: SecretSealer,
  logger: Logger,
): EndpointStore {
  const fromDoc = (doc: EndpointDocument) => fromDocEndpoint(doc, sealer);

  async function tryInsert(endpoint: WebhookEndpoint, place: string): Promise<boolean> {
    try {
      await endpoints.insertOne(toDocEndpoint(endpoint, place, sealer));
      return true;
    } catch (error) {
      if (!duplicateKeyOf(error)) throw error;
      return false;
    }
  }

  return {
    async insert(endpoint, endpointsMax) {
      for (let number = 0; number < endpointsMax; number += 1) {
        if (await tryInsert(endpoint, placeOf(endpoint.projectId, number))) return true;
      }
      return false;
    },
    async find(projectId, endpointId) {
      const found = await endpoints.findOne({ _id: placesOf(projectId), endpointId });
      return found && fromDoc(found);
    },
    async list(projectId) {
      const found = await endpoints.find({ _id: placesOf(projectId) }).toArray();
      return found
        .map(fromDoc)
        .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    },
    async findMany(ids) {
      const found = await endpoints.find({ endpointId: { $in: [...ids] } }).toArray();
      return readEach(found, fromDoc, logger);
    },
    async projectsSubscribed(accountId, type) {
      const found = await endpoints.find({ accountId, state: 'enabled' }).toArray();
      const subscribed = found.filter(({ types }) => types.includes(type));
      return [...new Set(subscribed.map(({ projectId }) => projectId))].sort();
    },
    async save({ projectId, id: endpointId, version }, fields) {
      const { matchedCount } = await endpoints.updateOne(
        { _id: placesOf(projectId), endpointId, version },
        { $set: { ...toDocFields(fields, endpointId, sealer), version: version + 1 } },
      );
      return matchedCount > 0;
    },
    async remove(projectId, endpointId) {
      const { deletedCount } = await endpoints.deleteOne({ _id: placesOf(projectId), endpointId });
      return deletedCount > 0;
    },
    async takeForReading(nowMs, againAtMs, limit) {
      const due = await endpoints
        .find({ state: 'enabled', nextReadAt: { $lte: dateOf(nowMs) } })
        .sort({ nextReadAt: 1 })
        .limit(limit)
        .toArray();
      const taken: WebhookEndpoint[] = [];
      for (const doc of due) {
        const { _id, endpointId, nextReadAt } = doc;
        const { matchedCount } = await endpoints.updateOne(
          { _id, endpointId, nextReadAt },
          { $set: { nextReadAt: dateOf(againAtMs) } },
        );
        if (matchedCount > 0) taken.push(...readEach([doc], fromDoc, logger));
      }
      return taken;
    },
    async advance({ projectId, id: endpointId, nextPosition }, to) {
      const { matchedCount } = await endpoints.updateOne(
        { _id: placesOf(projectId), endpointId, nextPosition },
        { $set: { nextPosition: to } },
      );
      return matchedCount > 0;
    },
  };
}

function placeOf(projectId: ProjectId, number: number): string {
  return `${projectId}/${number}`;
}

/** `0` is the character after `/`. */
function placesOf(projectId: ProjectId): { $gt: string; $lt: string } {
  return { $gt: `${projectId}/`, $lt: `${projectId}0` };
}
