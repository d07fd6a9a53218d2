import type { ObservationId } from '@inventory/contracts/ids';
import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { Observation } from '../domain/observation.ts';
import { documents, type ObservationDocument } from './collections.ts';
import { fromObservationFields, toObservationFields } from './mapping.ts';

export interface SupersededObservation {
  readonly observation: Observation;
  readonly supersededAtMs: number;
}

export type ObservationStore = ReturnType<typeof createObservationStore>;

/** Observations that are no longer the head but that page chains may still be pinned to. */
export function createObservationStore(collection: Collection<ObservationDocument>) {
  return {
    /** Keeps an observation from its supersession on; the latest time counts. */
    async keepSuperseded(scope: string, observation: Observation, nowMs: number): Promise<void> {
      await collection.updateOne(
        { _id: observation.observationId },
        {
          $set: {
            ...toObservationFields(observation),
            scope,
            supersededAt: dateOf(nowMs),
          },
        },
        { upsert: true },
      );
    },

    async findSuperseded(
      scope: string,
      observationId: ObservationId,
    ): Promise<SupersededObservation | null> {
      const document = await collection.findOne({ _id: observationId, scope });
      return document && fromDocument(document);
    },

    async listSuperseded(scope: string): Promise<SupersededObservation[]> {
      const found = await collection.find({ scope }).sort({ supersededAt: 1 }).toArray();
      return found.map(fromDocument);
    },

    async deleteSuperseded(observationIds: readonly ObservationId[]): Promise<void> {
      await collection.deleteMany({ _id: { $in: [...observationIds] } });
    },
  };
}

function fromDocument(stored: ObservationDocument): SupersededObservation {
  const document = parseDocument(documents.observation, stored);
  return {
    observation: fromObservationFields(document),
    supersededAtMs: document.supersededAt.getTime(),
  };
}
