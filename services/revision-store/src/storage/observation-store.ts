import type { ObservationId } from '@inventory/contracts/ids';
import { upsert } from '@inventory/mongo/duplicate-key';
import { deleteInBatches } from '@inventory/mongo/many-documents';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import type { InventoryEpoch, Observation } from '../domain/observation.ts';
import { documents, type ObservationDocument } from './collections.ts';

export interface SupersededObservation {
  readonly observation: Observation;
  readonly supersededAtMs: number;
}

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
      const $set = { scope, epoch, observation, supersededAt: dateOf(nowMs) };
      const which = { _id: observation.observationId, scope };
      await upsert(() => collection.updateOne(which, { $set }, { upsert: true }));
    },

    async findSuperseded(
      scope: string,
      observationId: ObservationId,
    ): Promise<SupersededObservation | null> {
      const document = await collection.findOne({ _id: observationId, scope });
      return document && fromDocument(document);
    },

    /** All that can be read, and when the oldest of all was superseded. */
    async listSuperseded(scope: string) {
      const found = await collection.find({ scope }).sort({ supersededAt: 1 }).toArray();
      const times = found.flatMap(({ supersededAt: at }) => (at instanceof Date ? [at] : []));
      return {
        superseded: readEach(found, fromDocument, logger).map(({ observation }) => observation),
        oldestAtMs: times[0]?.getTime() ?? null,
      };
    },

    /**
     * Deletes those superseded by then, and those of older epochs, also ones that cannot be read;
     * returns how many.
     */
    async deleteSuperseded({ scope, epoch }: InventoryEpoch, untilMs: number): Promise<number> {
      const expired = { supersededAt: { $lte: dateOf(untilMs) } };
      const older = epoch === 0 ? [] : [{ epoch: { $not: { $gte: epoch } } }];
      return await deleteInBatches(collection, { scope, $or: [expired, ...older] });
    },
  };
}

function fromDocument(stored: ObservationDocument): SupersededObservation {
  const { observation, supersededAt } = parseDocument(documents.observation, stored);
  return { observation, supersededAtMs: supersededAt.getTime() };
}
