import type { ObservationId, RefreshId, RevisionId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { outboxIndex, type WithOutbox } from '@inventory/mongo/outbox';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Binary, Collection, Db } from 'mongodb';
import type { ManifestPage, ScanResult, ScanSource } from '../domain/scan.ts';

/** A scan: the work item of its assembly, then the record of how it was decided. */
export interface ScanDocument extends WithOutbox {
  readonly _id: string;
  readonly state: 'received' | 'committing' | 'committed' | 'rejected';
  readonly refreshId: RefreshId | null;
  readonly receivedAt: Date;
  readonly trace: TraceCarrier;
  /** Only while it is not decided. */
  readonly work?: ScanWork;
  /** When a worker may take it; only while it is not decided. */
  readonly dueAt?: Date;
  /** How often workers took it, and gave it back in order; the rest crashed or failed. */
  readonly claims?: number;
  readonly orderlyEnds?: number;
  readonly result?: ScanResult;
  readonly decidedAt?: Date;
  /** Its staged chunks can go; absent once they are gone. */
  readonly chunksDropAt?: Date;
  /** The inventory of a completed scan. */
  readonly scope?: string;
}

export interface ScanWork {
  /** Absent in work from before there were captures: a refresh. */
  readonly source?: ScanSource;
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
  readonly language: Language;
  readonly window: WindowDocument;
  readonly reportedTotalCount: number;
  readonly pageCount: number;
  readonly pages: readonly ManifestPage[];
}

export interface WindowDocument {
  readonly startedAt: Date;
  readonly completedAt: Date;
}

export interface ChunkDocument {
  /** `<scan>/<epoch>/<page>/<chunk>` */
  readonly _id: string;
  readonly scanId: string;
  readonly digest: string;
  readonly rawBytes: number;
  readonly content: Binary;
  readonly stagedAt: Date;
  /** Present on what is forgotten sooner. */
  readonly source?: 'capture';
}

export interface ObservationFields {
  readonly observationId: ObservationId;
  readonly revision: {
    readonly revisionId: RevisionId;
    readonly ownershipDigest: string;
    readonly totalCount: number;
    readonly totalAmount: string;
    readonly blockAssets: number;
  };
  readonly language: Language;
  readonly window: WindowDocument;
  readonly reportedTotalCount: number;
  readonly texts: Partial<Record<Language, { textSetId: string; digest: string }>>;
}

/** One inventory: what Current reads, who may change it, and what happened last. */
export interface ScopeDocument {
  /** The scope's key. */
  readonly _id: string;
  /** Grows with every lease; the head moves only under the newest. */
  readonly epoch: number;
  readonly lease?: { readonly token: string; readonly until: Date };
  readonly head?: ObservationFields;
  /** Of the scan that was saved last; `settled` once the scan's own document has it too. */
  readonly lastResult?: {
    readonly scanId: string;
    readonly refreshId: RefreshId | null;
    readonly result: ScanResult;
    readonly settled: boolean;
  };
  readonly erasedAt?: Date;
  readonly pruneAt?: Date;
}

/** An observation that is not the head any more; the head itself is in the scope's document. */
export interface ObservationDocument extends ObservationFields {
  readonly _id: ObservationId;
  readonly scope: string;
  readonly supersededAt: Date;
}

export interface AssetBlockDocument {
  /** `<revision>/<index>` */
  readonly _id: string;
  readonly scope: string;
  readonly set: string;
  readonly index: number;
  readonly assets: Binary;
  readonly assetsRawBytes: number;
  /** 32-bit little-endian, one per asset. */
  readonly assetLengths: Binary;
  /** 16-bit little-endian, one per asset. */
  readonly descriptionOf: Binary;
  /** 32-bit little-endian, one per description of the block. */
  readonly descriptionNumbers: Binary;
  /** JSON array of the descriptions' join keys, to add texts later; not needed to read. */
  readonly descriptionKeys: Binary;
  readonly descriptionKeysRawBytes: number;
}

export interface TextBlockDocument {
  /** `<text set>/<index>` */
  readonly _id: string;
  readonly scope: string;
  readonly set: string;
  readonly index: number;
  readonly texts: Binary;
  readonly textsRawBytes: number;
  /** 32-bit little-endian, one per description of the block; 0 is missing. */
  readonly lengths: Binary;
}

export interface Collections {
  readonly scans: Collection<ScanDocument>;
  readonly chunks: Collection<ChunkDocument>;
  readonly scopes: Collection<ScopeDocument>;
  readonly observations: Collection<ObservationDocument>;
  readonly assetBlocks: Collection<AssetBlockDocument>;
  readonly textBlocks: Collection<TextBlockDocument>;
}

export function collectionsOf(db: Db): Collections {
  return {
    scans: db.collection('scans'),
    chunks: db.collection('chunks'),
    scopes: db.collection('scopes'),
    observations: db.collection('observations'),
    assetBlocks: db.collection('asset_blocks'),
    textBlocks: db.collection('text_blocks'),
  };
}

const onlyWhere = (field: string) => ({
  partialFilterExpression: { [field]: { $exists: true } },
});

export const indexes: readonly CollectionIndexes[] = [
  {
    collection: 'scans',
    indexes: [
      { name: 'due', keys: { dueAt: 1 }, options: onlyWhere('dueAt') },
      { name: 'chunks_drop', keys: { chunksDropAt: 1 }, options: onlyWhere('chunksDropAt') },
      { name: 'decided', keys: { decidedAt: 1 }, options: onlyWhere('decidedAt') },
      outboxIndex,
    ],
  },
  { collection: 'chunks', indexes: [{ name: 'staged', keys: { stagedAt: 1 } }] },
  {
    collection: 'scopes',
    indexes: [{ name: 'prune', keys: { pruneAt: 1 }, options: onlyWhere('pruneAt') }],
  },
  {
    collection: 'observations',
    indexes: [{ name: 'scope_superseded', keys: { scope: 1, supersededAt: 1 } }],
  },
  { collection: 'asset_blocks', indexes: [{ name: 'scope_set', keys: { scope: 1, set: 1 } }] },
  { collection: 'text_blocks', indexes: [{ name: 'scope_set', keys: { scope: 1, set: 1 } }] },
];
