import type { ManifestPage, ScanSource } from '@inventory/contracts/messages/revision';
import { isDuplicateKey } from '@inventory/mongo/duplicate-key';
import { deleteInBatches, retryOnce } from '@inventory/mongo/many-documents';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { freePacked, type PackedBytes, pack, unpack } from '@inventory/runtime/packed-bytes';
import { Binary, type Collection } from 'mongodb';
import type { InventoryEpoch } from '../domain/observation.ts';
import type { PageLists } from '../domain/page-lists.ts';
import type { PageSurvey } from '../domain/page-survey.ts';
import { bufferOf } from './binary-fields.ts';
import type {
  ChunkContent,
  ChunkDocument,
  ListedChunk,
  SurveyedDocument,
} from './chunk-document.ts';

/** The position of a chunk: a page of a scan, as one worker's epoch staged it. */
export interface ChunkPosition {
  readonly scanId: string;
  readonly epoch: number;
  readonly page: number;
  readonly chunk: number;
}

/** The lists of a page, each packed by itself: one that becomes a whole block is stored as it is. */
export type PackedLists = Readonly<Record<keyof PageLists, PackedBytes>>;

/** A stored chunk, unpacked by its reader: many fit into memory packed. */
export interface StagedChunk {
  readonly digest: string;
  readonly content: PackedBytes | PackedLists;
}

/** A page that was staged in one chunk. */
export interface SingleChunk {
  /** Null where it was not surveyed then. */
  readonly survey: PageSurvey | null;
  readonly chunk: StagedChunk;
}

/** A received chunk. */
export interface ArrivedChunk {
  readonly digest: string;
  readonly content: Buffer;
  readonly source: ScanSource;
  /** Of which the page was read; null from stagers of an earlier version. */
  readonly of: InventoryEpoch | null;
}

/** What was read of a received chunk. */
export interface ReadChunk {
  /** Of the page that it is; null where it is not one, or a part of one. */
  readonly survey: PageSurvey | null;
  /** Of a page that is stored as its lists. */
  readonly lists: PageLists | null;
}

/** Few enough that their deletion ends long before an idle cursor expires. */
const stagedBatch = 200;

export interface StagingResult {
  readonly result: 'staged' | 'known' | 'conflict';
}

export type ChunkStore = ReturnType<typeof createChunkStore>;

export function createChunkStore(collection: Collection<ChunkDocument>) {
  return {
    /** Stores a chunk; `known` when its position has the same chunk, `conflict` when it has another. */
    async stageChunk(
      position: ChunkPosition,
      chunk: ArrivedChunk,
      read: ReadChunk,
      nowMs: number,
    ): Promise<StagingResult> {
      const [content, survey] = await Promise.all([
        packContent(chunk.content, read.lists),
        read.survey && packSurvey(read.survey),
      ]);
      const _id = chunkId(position);
      try {
        await collection.insertOne({
          _id,
          scanId: position.scanId,
          digest: chunk.digest,
          rawBytes: chunk.content.length,
          ...contentFields(content),
          ...(survey && { survey: new Binary(survey.packed), surveyRawBytes: survey.rawBytes }),
          stagedAtMs: nowMs,
          ...(chunk.source === 'capture' ? { source: chunk.source } : {}),
          ...(chunk.of && { scope: chunk.of.scope, inventoryEpoch: chunk.of.epoch }),
        });
        return { result: 'staged' };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const taken = await collection.findOne({ _id }, { projection: { digest: 1 } });
        return { result: taken?.digest === chunk.digest ? 'known' : 'conflict' };
      } finally {
        const packed = 'packed' in content ? [content] : [content.assets, content.descriptions];
        for (const bytes of survey ? [...packed, survey] : packed) freePacked(bytes);
      }
    },

    /** The chunks at these positions, in order; undefined for a missing one. */
    async readChunks(positions: readonly ChunkPosition[]): Promise<(StagedChunk | undefined)[]> {
      const ids = positions.map(chunkId);
      const found = await collection
        .find({ _id: { $in: ids } })
        .project<ChunkDocument>({ survey: 0 })
        .toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return ids.map((id) => fromDocument(byId.get(id)));
    },

    ...surveyReads(collection),

    /** What is staged under one epoch, as a manifest would name it. */
    async listPages(scanId: string, epoch: number): Promise<ManifestPage[]> {
      const prefix = `${scanId}/${epoch}`;
      const found = await collection
        .find({ _id: { $gte: `${prefix}/`, $lt: `${prefix}0` } })
        .project<ListedChunk>({ digest: 1, rawBytes: 1 })
        .toArray();
      return manifestOf(epoch, found);
    },

    async dropChunk(position: ChunkPosition): Promise<void> {
      await collection.deleteOne({ _id: chunkId(position) });
    },

    /** Deletes what was read of an inventory under older epochs; returns how many. */
    async dropOlderChunks({ scope, epoch }: InventoryEpoch): Promise<number> {
      const older = { scope, inventoryEpoch: { $lt: epoch } };
      return await deleteInBatches(collection, older);
    },

    /** Whether something of a scan is staged, all of it read under this epoch or a later one. */
    async isReadSince(scanId: string, epoch: number): Promise<boolean> {
      const projection = { _id: 1 };
      const older = { _id: within(scanId), inventoryEpoch: { $not: { $gte: epoch } } };
      if (await collection.findOne(older, { projection })) return false;
      return (await collection.findOne({ _id: within(scanId) }, { projection })) !== null;
    },

    /** Deletes a scan's chunks; returns how many. `isSmall` where one command can delete them all. */
    async dropChunks(scanId: string, isSmall: boolean): Promise<number> {
      const staged = { _id: within(scanId) };
      if (!isSmall) return await deleteInBatches(collection, staged);
      return (await retryOnce(() => collection.deleteMany(staged))).deletedCount;
    },

    dropChunksStagedBefore: (scanId: string, beforeMs: number): Promise<number> =>
      deleteInBatches(collection, { _id: within(scanId), stagedAtMs: { $lt: beforeMs } }),

    /** The scan of each chunk staged before then, oldest first; of captures alone, or of all. */
    async *findScansStagedBefore(beforeMs: number, capturesOnly: boolean): AsyncGenerator<string> {
      const old = collection
        .find({
          stagedAtMs: { $lt: beforeMs },
          ...(capturesOnly ? { source: 'capture' as const } : {}),
        })
        .project<{ scanId: string }>({ scanId: 1 })
        .sort({ stagedAtMs: 1 })
        .batchSize(stagedBatch);
      for await (const { scanId } of old) yield scanId;
    },
  };
}

function surveyReads(collection: Collection<ChunkDocument>) {
  return {
    /** Null for a page that was not staged in one chunk. */
    async readSingleChunk(
      scanId: string,
      { epoch, page, chunks }: ManifestPage,
    ): Promise<SingleChunk | null> {
      if (chunks.length !== 1) return null;
      const document = await collection.findOne({
        _id: chunkId({ scanId, epoch, page, chunk: 0 }),
      });
      if (document?.digest !== chunks[0]?.digest || !document) return null;
      const chunk = fromDocument(document);
      return chunk ? { survey: surveyIn(document), chunk } : null;
    },

    /** The surveys of pages that were staged in one chunk; null for every other page. */
    async readSurveys(
      scanId: string,
      pages: readonly ManifestPage[],
    ): Promise<(PageSurvey | null)[]> {
      const ids = pages.map(({ epoch, page }) => chunkId({ scanId, epoch, page, chunk: 0 }));
      const found = await collection
        .find({ _id: { $in: ids }, survey: { $exists: true } })
        .project<SurveyedDocument>({ digest: 1, rawBytes: 1, survey: 1, surveyRawBytes: 1 })
        .toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return pages.map(({ chunks }, at) => {
        const document = byId.get(ids[at] ?? '');
        const isNamed = chunks.length === 1 && chunks[0]?.digest === document?.digest;
        return document && isNamed ? surveyIn(document) : null;
      });
    },
  };
}

function chunkId({ scanId, epoch, page, chunk }: ChunkPosition): string {
  return `${scanId}/${epoch}/${page}/${chunk}`;
}

async function packContent(
  content: Buffer,
  lists: PageLists | null,
): Promise<PackedBytes | PackedLists> {
  if (!lists) return pack(content);
  const [assets, descriptions] = await Promise.all([pack(lists.assets), pack(lists.descriptions)]);
  return { assets, descriptions };
}

/** Another form has another number: a survey in a form that is unknown here is made anew. */
const surveyForm = 1;

async function packSurvey(survey: PageSurvey): Promise<PackedBytes> {
  const raw = Buffer.from(JSON.stringify({ form: surveyForm, ...survey }));
  const packed = await pack(raw);
  freeBytes(raw);
  return packed;
}

function contentFields(content: PackedBytes | PackedLists): ChunkContent {
  if ('packed' in content) return { content: new Binary(content.packed) };
  const { assets, descriptions } = content;
  return {
    lists: {
      assets: new Binary(assets.packed),
      assetsRawBytes: assets.rawBytes,
      descriptions: new Binary(descriptions.packed),
      descriptionsRawBytes: descriptions.rawBytes,
    },
  };
}

function surveyIn({ survey, surveyRawBytes: rawBytes }: SurveyedDocument): PageSurvey | null {
  if (!survey || rawBytes === undefined) return null;
  const raw = unpack({ packed: bufferOf(survey), rawBytes });
  const read = JSON.parse(raw.toString()) as PageSurvey & { readonly form: number };
  freeBytes(raw);
  return read.form === surveyForm ? read : null;
}

/** Numbers in ids sort as text, so the order is made here. */
function manifestOf(epoch: number, chunks: readonly ListedChunk[]): ManifestPage[] {
  const placed = chunks.map(({ _id, digest, rawBytes: bytes }) => {
    const [page = '', chunk = ''] = _id.split('/').slice(2);
    return { page: Number(page), chunk: Number(chunk), digest, bytes };
  });
  placed.sort((left, right) => left.page - right.page || left.chunk - right.chunk);
  return [...Map.groupBy(placed, ({ page }) => page)].map(([page, named]) => ({
    page,
    epoch,
    chunks: named.map(({ digest, bytes }) => ({ digest, bytes })),
  }));
}

/** All ids of one scan: `0` follows `/`, so this is a range of the `_id` index. */
function within(scanId: string) {
  return { $gte: `${scanId}/`, $lt: `${scanId}0` };
}

function fromDocument(document: ChunkDocument | undefined): StagedChunk | undefined {
  if (!document) return undefined;
  const { digest, rawBytes, content, lists } = document;
  if (content) return { digest, content: { packed: bufferOf(content), rawBytes } };
  if (!lists) return undefined;
  const { assets, assetsRawBytes, descriptions, descriptionsRawBytes } = lists;
  return {
    digest,
    content: {
      assets: { packed: bufferOf(assets), rawBytes: assetsRawBytes },
      descriptions: { packed: bufferOf(descriptions), rawBytes: descriptionsRawBytes },
    },
  };
}
