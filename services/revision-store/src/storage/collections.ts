import { observationId, refreshId } from '@inventory/contracts/ids';
import { scanResult } from '@inventory/contracts/messages/revision';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { storedTrace } from '@inventory/mongo/parse-document';
import { leaseField } from '@inventory/work/lease';
import { workField, workIndex } from '@inventory/work/work-field';
import type { Binary, Collection, Db } from 'mongodb';
import { z } from 'zod';
import { observation } from '../domain/observation.ts';
import { completedScan, decidedScan } from '../domain/scan.ts';
import {
  type ChangeBlockDocument,
  changeIndexes,
  type KeptChangeSet,
  keptChangeSet,
} from './change-documents.ts';
import { type ChunkDocument, chunkIndexes } from './chunk-document.ts';

/** A scan: its manifest and the assembly that is pending, then the record of its decision. */
const scan = z.object({
  _id: z.string(),
  state: z.enum(['received', 'committing', 'committed', 'rejected']),
  refreshId: refreshId.nullable(),
  receivedAtMs: z.number(),
  trace: storedTrace,
  /** Only while it is not decided. */
  manifest: completedScan.exactOptional(),
  /** Its assembly. */
  work: workField.exactOptional(),
  result: scanResult.exactOptional(),
  decidedAtMs: z.number().exactOptional(),
  /** Its staged chunks can be dropped; absent once they are. */
  chunksDropAtMs: z.number().exactOptional(),
  /** Its inventory; only while it is not decided. */
  scope: z.string().exactOptional(),
});
export type ScanDocument = z.infer<typeof scan>;

const waitingScan = scan.extend({ manifest: completedScan, scope: z.string() });

/** One inventory: the head that Current reads, its lease, and its last result. */
const scope = z.object({
  /** The scope's key. */
  _id: z.string(),
  /** The head moves only under it. */
  lease: leaseField.exactOptional(),
  head: observation.exactOptional(),
  /** Of the scan that was saved last; `settled` once the scan's own document has it too. */
  lastResult: decidedScan.extend({ settled: z.boolean() }).exactOptional(),
  /** It grows with each erasure; absent before the first. */
  epoch: z.int().exactOptional(),
  /** By the clock of the store. */
  erasedAt: z.date().exactOptional(),
  /** When the first revision of it was saved, as far as it is remembered. */
  knownSinceMs: z.number().exactOptional(),
  pruneAtMs: z.number().exactOptional(),
});
export type ScopeDocument = z.infer<typeof scope>;

/** An observation that is no longer the head; the head itself is in the scope's document. */
const supersededObservation = z.object({
  _id: observationId,
  scope: z.string(),
  observation,
  /** The epoch of the inventory under which it was kept. */
  epoch: z.int().exactOptional(),
  supersededAtMs: z.number(),
});
export type ObservationDocument = z.infer<typeof supersededObservation>;

/** Chunks and blocks are not parsed: a read of one inventory takes hundreds, and digests hold them. */
export const documents = {
  scan: { collection: 'scans', schema: scan },
  waitingScan: { collection: 'scans', schema: waitingScan },
  scope: { collection: 'scopes', schema: scope },
  scopeHead: {
    collection: 'scopes',
    schema: scope.pick({ _id: true, head: true, knownSinceMs: true }),
  },
  scopeEpoch: { collection: 'scopes', schema: scope.pick({ _id: true, epoch: true }) },
  changeSet: { collection: 'change_sets', schema: keptChangeSet },
  observation: { collection: 'observations', schema: supersededObservation },
};

/** Which block of which revision or text set, in which inventory. */
export interface BlockPosition {
  readonly scope: string;
  readonly set: string;
  readonly index: number;
}

export interface BlockDocument extends BlockPosition {
  /** `<set>/<index>`, unless its own type says more. */
  readonly _id: string;
}

/**
 * In the first document of a block whose texts are more than one, instead of the lengths there:
 * a reader without parts fails, and does not take the first one for all.
 */
export interface PartsFields {
  /** The rows at which the parts begin. */
  readonly starts: readonly number[];
  /** 32-bit little-endian, one per row, of all parts. */
  readonly lengths: Binary;
}

export interface AssetBlockDocument extends BlockDocument {
  /** Of the first part; the others are among the text blocks. */
  readonly assets: Binary;
  readonly assetsRawBytes: number;
  /** 32-bit little-endian, one per asset. */
  readonly assetLengths?: Binary;
  readonly parts?: PartsFields;
  /** 16-bit little-endian, one per asset. */
  readonly descriptionOf: Binary;
  /** 32-bit little-endian, one per description of the block. */
  readonly descriptionNumbers: Binary;
  /** JSON array of the descriptions' join keys, to add texts later; not needed to read. */
  readonly descriptionKeys: Binary;
  readonly descriptionKeysRawBytes: number;
}

/** Of texts in one part, or in several; a later part has none. */
export interface LengthsFields {
  /** 32-bit little-endian, one per description of the block; 0 is missing. */
  readonly lengths?: Binary;
  readonly parts?: PartsFields;
}

/** Its id is `<text set>/<index>`, of a later part `<revision or text set>/<index>/<part>`. */
export interface TextBlockDocument extends BlockDocument, LengthsFields {
  readonly texts: Binary;
  readonly textsRawBytes: number;
}

/**
 * A whole block in one language, its rows and descriptions packed as the beginning of a response. It
 * is among the text blocks, under a set of its rows and its texts: it goes with either of them. Its id
 * is `<text set>/<index>/<set of the rows>/<coding>`.
 */
export interface PackedBlockDocument extends BlockDocument {
  readonly packed: Binary;
  readonly rawBytes: number;
  readonly crc32: number;
}

/**
 * A hash of the `assetid` of each asset of a revision. It is among the text blocks: it goes with the
 * rows of its set. Its id is `<revision>/ids/<index>`.
 */
export interface AssetIndexDocument extends BlockDocument {
  /** 32-bit little-endian, one per asset. */
  readonly hashes: Binary;
}

export interface StoreCollections {
  readonly scans: Collection<ScanDocument>;
  readonly chunks: Collection<ChunkDocument>;
  readonly scopes: Collection<ScopeDocument>;
  readonly observations: Collection<ObservationDocument>;
  readonly assetBlocks: Collection<AssetBlockDocument>;
  readonly textBlocks: Collection<TextBlockDocument>;
  readonly packedBlocks: Collection<PackedBlockDocument>;
  readonly changeSets: Collection<KeptChangeSet>;
  readonly changeBlocks: Collection<ChangeBlockDocument>;
  readonly assetIndexes: Collection<AssetIndexDocument>;
}

export function collectionsOf(db: Db): StoreCollections {
  return {
    scans: db.collection(documents.scan.collection),
    chunks: db.collection('chunks'),
    scopes: db.collection(documents.scope.collection),
    observations: db.collection(documents.observation.collection),
    assetBlocks: db.collection('asset_blocks'),
    textBlocks: db.collection('text_blocks'),
    packedBlocks: db.collection('text_blocks'),
    changeSets: db.collection(documents.changeSet.collection),
    changeBlocks: db.collection('change_blocks'),
    assetIndexes: db.collection('text_blocks'),
  };
}

const ofBlocks = {
  shardKey: { _id: 'hashed' },
  indexes: [{ name: 'scope_set', keys: { scope: 1, set: 1 } }],
} as const;

export const storeIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'scans',
    shardKey: { _id: 'hashed' },
    indexes: [
      workIndex,
      { name: 'chunks_drop', keys: { chunksDropAtMs: 1 }, options: whereExists('chunksDropAtMs') },
      { name: 'decided', keys: { decidedAtMs: 1 }, options: whereExists('decidedAtMs') },
    ],
  },
  chunkIndexes,
  {
    collection: 'scopes',
    shardKey: { _id: 1 },
    indexes: [{ name: 'prune', keys: { pruneAtMs: 1 }, options: whereExists('pruneAtMs') }],
  },
  {
    collection: 'observations',
    shardKey: { scope: 1 },
    indexes: [{ name: 'scope_superseded', keys: { scope: 1, supersededAtMs: 1 } }],
  },
  { collection: 'asset_blocks', ...ofBlocks },
  { collection: 'text_blocks', ...ofBlocks },
  ...changeIndexes,
];
