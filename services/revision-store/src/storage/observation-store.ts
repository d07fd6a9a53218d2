import type { ObservationId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { deleteInBatches, retryOnce } from '@inventory/mongo/many-documents';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import type { InventoryEpoch, Observation } from '../domain/observation.ts';
import { documents, type ObservationDocument } from './collections.ts';

/** Observations that are no longer the head but that page chains may still be pinned to. */
export function createObservationStore(
  collection: Collection<ObservationDocument>,
  logger: Logger,
) {
  return {
    /** Keeps an observation from its supersession on; the latest time counts. */
    async keepSuperseded(
      { scope, epoch }: InventoryEpoch,
      observation: Observation,
      nowMs: number,
    ): Promise<void> {
      const $set = { scope, epoch, observation, supersededAtMs: nowMs };
      const which = { _id: observation.observationId, scope };
      await upsert(() => collection.updateOne(which, { $set }, { upsert: true }));
    },

    async findSuperseded(
      scope: string,
      observationId: ObservationId,
    ): Promise<ObservationDocument | null> {
      const document = await collection.findOne({ _id: observationId, scope });
      return document && parse(document);
    },

    /** Twice as much for some where the first response was lost. */
    async ageSuperseded(scope: string, byMs: number): Promise<void> {
      const superseded = { scope, supersededAtMs: { $gt: 0 } };
      const older = { $inc: { supersededAtMs: -byMs } };
      await retryOnce(() => collection.updateMany(superseded, older));
    },

    /** All that can be read, and when the oldest of all was superseded. */
    async listSuperseded(scope: string) {
      const found = await collection.find({ scope }).sort({ supersededAtMs: 1 }).toArray();
      const oldest = found.find(({ supersededAtMs }) => typeof supersededAtMs === 'number');
      return {
        superseded: readEach(found, parse, logger).map(({ observation }) => observation),
        oldestAtMs: oldest?.supersededAtMs ?? null,
      };
    },

    /**
     * Deletes those superseded by then, and those of older epochs, also ones that cannot be read;
     * returns how many.
     */
    async deleteSuperseded({ scope, epoch }: InventoryEpoch, untilMs: number): Promise<number> {
      const expired = { supersededAtMs: { $lte: untilMs } };
      const older = epoch === 0 ? [] : [{ epoch: { $not: { $gte: epoch } } }];
      return await deleteInBatches(collection, { scope, $or: [expired, ...older] });
    },
  };
}

const parse = (stored: ObservationDocument) => parseDocument(documents.observation, stored);
