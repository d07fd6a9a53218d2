import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import type { Binary } from 'mongodb';

/** A chunk as it is named. */
export interface ListedChunk {
  /** `<scan>/<epoch>/<page>/<chunk>` */
  readonly _id: string;
  readonly digest: string;
  readonly rawBytes: number;
}

export interface ChunkContent {
  /** Absent where the chunk is stored as the lists of its page. */
  readonly content?: Binary;
  readonly lists?: {
    readonly assets: Binary;
    readonly assetsRawBytes: number;
    readonly descriptions: Binary;
    readonly descriptionsRawBytes: number;
  };
}

export interface SurveyedDocument extends ListedChunk {
  /** What an assembly needs of a page beside its text; absent where the chunk is no whole page. */
  readonly survey?: Binary;
  readonly surveyRawBytes?: number;
}

export interface ChunkDocument extends SurveyedDocument, ChunkContent {
  readonly scanId: string;
  readonly stagedAtMs: number;
  /** Present on captures, which are deleted sooner. */
  readonly source?: 'capture';
  /** The inventory and its epoch, of which the page was read; absent from stagers of an earlier version. */
  readonly scope?: string;
  readonly inventoryEpoch?: number;
}

export const chunkIndexes: CollectionIndexes = {
  collection: 'chunks',
  shardKey: { _id: 'hashed' },
  indexes: [
    { name: 'staged', keys: { stagedAtMs: 1 } },
    {
      name: 'scope_epoch',
      keys: { scope: 1, inventoryEpoch: 1 },
      options: whereExists('scope'),
    },
  ],
};
