import type { AccountId, ProjectId, WebhookEndpointId } from '@inventory/contracts/ids';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { retryOnce } from '@inventory/mongo/many-documents';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import { createSharedReads, sharedCommands } from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import type { TextSealer } from '@inventory/runtime/text-sealer';
import { newWork } from '@inventory/work/work-field';
import { createWorkQueue, type MadeDue, makeDue, type WorkQueue } from '@inventory/work/work-queue';
import type { Collection, Filter } from 'mongodb';
import { isKeyKept } from './secret-rotation.domain.ts';
import {
  type DueEndpoint,
  type EndpointDocument,
  type EndpointPace,
  endpointPaces,
  type WebhookEndpoint,
  webhookDocuments,
} from './webhook-document.ts';

/** Whose endpoints are meant. */
export type OfEndpoints =
  | { readonly endpointId: WebhookEndpointId }
  /** Enabled ones. */
  | { readonly projectId: ProjectId }
  /** Those with something to do. */
  | { readonly waitingOf: { readonly projectId: ProjectId | null; readonly accountId: AccountId } };

export interface ReencryptedSecrets {
  /** Endpoints whose secrets were encrypted with an older key. */
  readonly endpoints: number;
  /** Endpoints with a secret that no key decrypts: they are not changed. */
  readonly unreadable: number;
}

const endpointsPerCommand = 100;
const notRemoved = { isRemoved: false };

type Endpoints = Collection<EndpointDocument>;

/** Stores the webhook endpoints of Projects; their secrets are encrypted. */
export function createEndpointStore(endpoints: Endpoints, sealer: TextSealer, logger: Logger) {
  const fromDoc = (document: EndpointDocument) => opened(document, sealer);
  const reads = createSharedReads(endpoints, endpointsPerCommand);
  const update = updateOf(endpoints, sealer);

  async function tryInsert(endpoint: WebhookEndpoint): Promise<boolean> {
    const seal = sealing(sealer, endpoint.endpointId);
    const [secrets, rotations] = [endpoint.secrets.map(seal), endpoint.rotations.map(seal)];
    // Due: what was appended since its position was read has not made it due.
    const work = newWork(endpoint.createdAtMs);
    try {
      await endpoints.insertOne({ ...endpoint, secrets, rotations, work });
      return true;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // By a first execution of this very insert, whose response was lost.
      const { _id, endpointId } = endpoint;
      return (await endpoints.findOne({ _id, endpointId }, { projection: { _id: 1 } })) !== null;
    }
  }

  return {
    /** In the first free slot; null when the Project has `endpointsMax` endpoints, or one with its id. */
    async insertEndpoint(
      endpoint: Omit<WebhookEndpoint, '_id'>,
      endpointsMax: number,
    ): Promise<WebhookEndpoint | null> {
      for (let slot = 0; slot < endpointsMax; slot += 1) {
        const inSlot = { ...endpoint, _id: `${endpoint.projectId}/${slot}` };
        if (await tryInsert(inSlot)) return inSlot;
      }
      return null;
    },
    async findEndpoint(projectId: ProjectId, endpointId: WebhookEndpointId) {
      const found = await endpoints.findOne({ _id: slotsOf(projectId), endpointId, ...notRemoved });
      return found && fromDoc(found);
    },
    /** Oldest first. */
    async listEndpoints(projectId: ProjectId): Promise<WebhookEndpoint[]> {
      const found = await endpoints.find({ _id: slotsOf(projectId), ...notRemoved }).toArray();
      return readEach(found, fromDoc, logger).sort(
        (a, b) => a.createdAtMs - b.createdAtMs || (a.endpointId < b.endpointId ? -1 : 1),
      );
    },
    /** As it is now, also while it is being deleted. */
    async readEndpoint({ _id, endpointId }: DueEndpoint) {
      const found = await reads.add(_id);
      return found?.endpointId === endpointId ? fromDoc(found) : null;
    },
    update,
    /** Since when the oldest delivery is due that a run left; null without one. */
    async findLateSince(): Promise<number | null> {
      const found = await endpoints.findOne(
        // One with nothing pending is not late: a replica of an earlier release may have sent what was left.
        { lateSinceMs: { $gt: 0 }, 'work.dueAtMs': { $exists: true } },
        { sort: { lateSinceMs: 1 }, projection: { lateSinceMs: 1 } },
      );
      return found?.lateSinceMs ?? null;
    },
    /** Hides it, and makes it due by then: its next run deletes it. False when there is none. */
    async markRemoved(projectId: ProjectId, endpointId: WebhookEndpointId, dueAtMs: number) {
      const { matchedCount } = await endpoints.updateOne(
        { _id: slotsOf(projectId), endpointId, ...notRemoved },
        {
          $set: { isRemoved: true, state: 'disabled' },
          // Not before a claim ends.
          $min: { 'work.dueAtMs': dueAtMs },
          $inc: { 'work.tries': 0, version: 1 },
        },
      );
      return matchedCount > 0;
    },
    /** Deletes one that was marked; its slot is free. */
    async deleteRemoved(endpointId: WebhookEndpointId): Promise<void> {
      await endpoints.deleteOne({ endpointId, isRemoved: true });
    },
    /** Encrypts the secrets of all endpoints with the first key, so that older keys can be removed. */
    async reencryptSecrets(nowMs: number, stopping: AbortSignal): Promise<ReencryptedSecrets> {
      const done = { endpoints: 0, unreadable: 0 };
      for await (const stored of endpoints.find()) {
        if (stopping.aborted) break;
        for (const endpoint of readEach([stored], fromDoc, logger)) {
          const change = reencrypted(stored, endpoint, { nowMs, sealer });
          if (change === 'unreadable') done.unreadable += 1;
          else if (change && (await update(endpoint, change))) done.endpoints += 1;
        }
      }
      return done;
    },
    ...dueEndpoints(endpoints, logger),
  };
}

/** Writes fields; false when the endpoint was changed, but for its health, or deleted since it was read. */
function updateOf(endpoints: Endpoints, sealer: TextSealer) {
  return async (
    { _id, endpointId, version }: WebhookEndpoint,
    { secrets, rotations, ...fields }: Partial<WebhookEndpoint>,
  ): Promise<boolean> => {
    const seal = sealing(sealer, endpointId);
    const { matchedCount } = await endpoints.updateOne(
      { _id, endpointId, version, ...notRemoved },
      {
        $set: {
          ...fields,
          ...(secrets && { secrets: secrets.map(seal) }),
          ...(rotations && { rotations: rotations.map(seal) }),
        },
      },
    );
    return matchedCount > 0;
  };
}

/**
 * What has to be written where a key other than the first encrypts, or an Idempotency-Key has expired.
 * An endpoint that changes meanwhile is left to the next run.
 */
function reencrypted(
  stored: EndpointDocument,
  { endpointId, secrets, rotations, version }: WebhookEndpoint,
  { nowMs, sealer }: { readonly nowMs: number; readonly sealer: TextSealer },
): Partial<WebhookEndpoint> | 'unreadable' | null {
  const isKept = ({ atMs }: { readonly atMs: number }) => isKeyKept(atMs, nowMs);
  const isCurrent = ({ sealed }: WithSealed) => sealer.isCurrent(sealed, endpointId);
  if (stored.rotations.every(isKept) && [...stored.secrets, ...stored.rotations].every(isCurrent)) {
    return null;
  }
  if (secrets.length < stored.secrets.length) return 'unreadable';
  return { secrets, rotations: rotations.filter(isKept), version: version + 1 };
}

function dueEndpoints(endpoints: Endpoints, logger: Logger) {
  const dues = createBatcher<MadeDue<EndpointDocument>, boolean>({
    ...sharedCommands,
    itemsMax: endpointsPerCommand,
    async flush(wanted) {
      const anyIsDue = await makeDue(endpoints, wanted);
      return wanted.map(() => anyIsDue);
    },
  });
  return {
    /** Makes endpoints due then at the latest; false when there are none. */
    makeDue: (of: OfEndpoints, dueAtMs: number) =>
      dues.add({ which: whichOf(of, dueAtMs), dueAtMs }),
    /** Those that are due later than any is, because a clock was wrong, claimed or not, are due now. */
    async makeDueIfAfter(latestMs: number, nowMs: number): Promise<void> {
      const isAfter = { pace: { $in: endpointPaces }, 'work.dueAtMs': { $gt: latestMs } };
      const dueNow = { $set: { 'work.dueAtMs': nowMs } };
      await retryOnce(() => endpoints.updateMany(isAfter, dueNow));
    },
    /** The due endpoints of one pace; accounts are in rotation. */
    queueOf: (pace: EndpointPace): WorkQueue<DueEndpoint> =>
      createWorkQueue({
        collection: endpoints,
        documents: webhookDocuments.claimed,
        where: { pace },
        keyField: 'accountId',
        projection: { endpointId: 1, accountId: 1, work: 1 },
        toItem: (due) => due,
        completed: 'kept',
        logger,
      }),
  };
}

function whichOf(of: OfEndpoints, nowMs: number): Filter<EndpointDocument> {
  if ('endpointId' in of) return { endpointId: of.endpointId };
  if ('projectId' in of) return { _id: slotsOf(of.projectId), state: 'enabled' };
  const { projectId, accountId } = of.waitingOf;
  const waiting = { 'work.dueAtMs': { $gt: nowMs } } as Filter<EndpointDocument>;
  return { ...(projectId === null ? { accountId } : { _id: slotsOf(projectId) }), ...waiting };
}

/** `0` is the character after `/`. */
function slotsOf(projectId: ProjectId): { $gt: string; $lt: string } {
  return { $gt: `${projectId}/`, $lt: `${projectId}0` };
}

interface WithSealed {
  readonly sealed: string;
}

function sealing(sealer: TextSealer, endpointId: WebhookEndpointId) {
  return <Of extends { readonly secret: string }>({ secret, ...of }: Of) => ({
    ...of,
    sealed: sealer.seal(secret, endpointId),
  });
}

/** A secret that cannot be decrypted is left out: it hides neither its endpoint nor any other. */
function opened(stored: EndpointDocument, sealer: TextSealer): WebhookEndpoint {
  const { secrets, rotations, ...fields } = parseDocument(webhookDocuments.endpoint, stored);
  const open = <Of extends WithSealed>({ sealed, ...of }: Of) => {
    const secret = sealer.open(sealed, fields.endpointId);
    return secret === null ? [] : [{ ...of, secret }];
  };
  return { ...fields, secrets: secrets.flatMap(open), rotations: rotations.flatMap(open) };
}
