import type { ProjectId } from '@inventory/contracts/ids';
import { refusedWrites } from '@inventory/mongo/duplicate-key';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { parseDocument } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Db } from 'mongodb';
import { z } from 'zod';

/** The place of one open stream in its Project. */
export interface StreamPlace {
  readonly id: string;
  /** The replica that holds the stream. */
  readonly replica: string;
}

export interface PlaceToRemove {
  readonly projectId: ProjectId;
  readonly id: string;
}

/** The places of each Project, one document with at most `placesMax` of them. */
export interface StreamPlaceStore {
  /** False when the Project has no free place. */
  add(projectId: ProjectId, place: StreamPlace, placesMax: number): Promise<boolean>;
  list(projectId: ProjectId): Promise<readonly StreamPlace[]>;
  remove(places: readonly PlaceToRemove[]): Promise<void>;
}

const collectionName = 'stream_places';
/** Past the longest life of every stream in the document. */
const keptAfterLifeMs = 3_600_000;

export const streamPlaceIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } }],
};

const place = z.object({ id: z.string(), replica: z.string() });
const documents = {
  collection: collectionName,
  /** `_id` is the Project. */
  schema: z.object({ _id: z.string(), places: z.array(place), expireAt: z.date() }),
};
type PlacesDocument = z.infer<typeof documents.schema>;

interface PlaceToAdd {
  readonly projectId: ProjectId;
  readonly added: StreamPlace;
  readonly placesMax: number;
}

const placesPerWrite = 100;

export interface StreamPlaceStoreDeps {
  readonly clock: Clock;
  /** Longest life of a stream. */
  readonly lifeMaxMs: number;
}

/**
 * Each operation is one atomic write of the Project's document; its filter decides. Streams that
 * open together, as after the loss of a replica, share a command.
 */
export function createStreamPlaceStore(
  db: Db,
  { clock, lifeMaxMs }: StreamPlaceStoreDeps,
): StreamPlaceStore {
  const collection = db.collection<PlacesDocument>(collectionName);
  const expiry = () => ({ expireAt: dateOf(clock.now() + lifeMaxMs + keptAfterLifeMs) });
  const additions = createBatcher<PlaceToAdd, boolean>({
    ...sharedCommands,
    itemsMax: placesPerWrite,
    flush: addPlaces,
  });

  async function addPlaces(places: readonly PlaceToAdd[]): Promise<boolean[]> {
    const writes = places.map(({ projectId: _id, added, placesMax }) => ({
      updateOne: {
        filter: { _id, [`places.${placesMax - 1}`]: { $exists: false } },
        update: { $push: { places: { ...added } }, $set: expiry() },
        upsert: true,
      },
    }));
    // The document of a Project exists and its filter does not match it: it has no room.
    const full = await refusedWrites(collection.bulkWrite(writes, { ordered: false }));
    return places.map((_place, index) => !full.has(index));
  }

  return {
    add: (projectId, added, placesMax) => additions.add({ projectId, added, placesMax }),
    async list(projectId) {
      // The newest state, committed or not: a stale one would cause a conflict.
      const found = await collection.findOne(
        { _id: projectId },
        { readConcern: { level: 'local' } },
      );
      return found === null ? [] : parseDocument(documents, found).places;
    },
    async remove(places) {
      const ofProjects = Map.groupBy(places, ({ projectId }) => projectId);
      const writes = [...ofProjects].map(([_id, removed]) => ({
        updateOne: {
          filter: { _id },
          update: { $pull: { places: { id: { $in: removed.map(({ id }) => id) } } } },
        },
      }));
      if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
    },
  };
}
