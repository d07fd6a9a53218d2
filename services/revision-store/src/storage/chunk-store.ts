import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { dateOf } from '@inventory/runtime/clock';
import { Binary, type Collection } from 'mongodb';
import type { ChunkDocument } from './collections.ts';
import { pack, unpack } from './compression.ts';
import { bytesOf } from './mapping.ts';

/** The place of a chunk: a page of a scan, as one worker's epoch staged it. */
export interface ChunkPlace {
  readonly scanId: string;
  readonly epoch: number;
  readonly page: number;
  readonly chunk: number;
}

export interface StagedChunk {
  readonly digest: string;
  readonly content: Buffer;
}

export type StagingResult = 'staged' | 'known' | 'conflict';

export interface ForgottenChunk {
  readonly scanId: string;
  readonly stagedAtMs: number;
}

export type ChunkStore = ReturnType<typeof createChunkStore>;

export function createChunkStore(collection: Collection<ChunkDocument>) {
  return {
    /** Keeps a chunk, unless its place is taken: by the same one, or by another. */
    async stage(place: ChunkPlace, chunk: StagedChunk, nowMs: number): Promise<StagingResult> {
      const { packed, rawBytes } = await pack(chunk.content);
      const _id = chunkId(place);
      try {
        await collection.insertOne({
          _id,
          scanId: place.scanId,
          digest: chunk.digest,
          rawBytes,
          content: new Binary(packed),
          stagedAt: dateOf(nowMs),
        });
        return 'staged';
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        const taken = await collection.findOne({ _id }, { projection: { digest: 1 } });
        return taken?.digest === chunk.digest ? 'known' : 'conflict';
      }
    },

    /** The chunks at these places, in order; undefined where there is none. */
    async read(places: readonly ChunkPlace[]): Promise<(StagedChunk | undefined)[]> {
      const ids = places.map(chunkId);
      const found = await collection.find({ _id: { $in: ids } }).toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return ids.map((id) => fromDocument(byId.get(id)));
    },

    /** Deletes a scan's chunks; how many there were. */
    async drop(scanId: string): Promise<number> {
      return (await collection.deleteMany({ _id: within(scanId) })).deletedCount;
    },

    async dropStagedBefore(scanId: string, beforeMs: number): Promise<number> {
      const old = { _id: within(scanId), stagedAt: { $lt: dateOf(beforeMs) } };
      return (await collection.deleteMany(old)).deletedCount;
    },

    /** Chunks staged in [from, before), oldest first. */
    async stagedBetween(
      fromMs: number,
      beforeMs: number,
      limit: number,
    ): Promise<ForgottenChunk[]> {
      const found = await collection
        .find({ stagedAt: { $gte: dateOf(fromMs), $lt: dateOf(beforeMs) } })
        .project<Pick<ChunkDocument, 'scanId' | 'stagedAt'>>({ scanId: 1, stagedAt: 1 })
        .sort({ stagedAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ scanId, stagedAt }) => ({ scanId, stagedAtMs: stagedAt.getTime() }));
    },
  };
}

function chunkId({ scanId, epoch, page, chunk }: ChunkPlace): string {
  return `${scanId}/${epoch}/${page}/${chunk}`;
}

/** All ids of one scan: `0` follows `/`, so this is a range of the index that is there anyway. */
function within(scanId: string) {
  return { $gte: `${scanId}/`, $lt: `${scanId}0` };
}

function fromDocument(document: ChunkDocument | undefined): StagedChunk | undefined {
  if (!document) return undefined;
  const { digest, rawBytes, content } = document;
  return { digest, content: unpack({ packed: bytesOf(content), rawBytes }) };
}
