import { z } from 'zod';
import { canonicalDecimal, decimalWithDefault, scopePath } from '../http/parameters.ts';
import { agedInventory, inventoryAging } from '../http/sandbox.ts';
import { savedSummary } from '../http/summary.ts';
import { observationId, revisionId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { language } from '../languages.ts';
import { manifestPage, savedObservation, scanSource, scanWindow } from '../messages/revision.ts';
import { pageRowsMax, stagedAsset, stagedDescription } from '../staged-rows.ts';
import {
  contentCoding,
  descriptions,
  exportFormat,
  lookupAssetsMax,
  pageAssetsMax,
} from '../vocabulary.ts';
import { orNull, time, wire } from '../wire.ts';
import { operationsFor } from './operations.ts';

const pages = '/scans/{scan_id}/epochs/{epoch}/pages';
const inventory = '/inventories/{platform_id}/{app_id}/{context_id}';

/** Paths of the revision-store's internal API. */
export const inventoryPaths = {
  inventory,
  page: `${inventory}/page`,
  assets: `${inventory}/assets`,
  lines: `${inventory}/lines`,
  chunk: `${pages}/{page}/chunks/{chunk}`,
} as const;

/** Pages of one scan at most. */
export const scanPagesMax = 250;
/** Chunks of one staged page at most. */
export const pageChunksMax = 64;
/** Largest text of one staged page: each of its rows fits into a document of 16 MB. */
export const stagedPageBytesMax = 12 * 1024 * 1024;

export const stagedPage = z.object({
  assets: z.array(stagedAsset).max(pageRowsMax),
  descriptions: z.array(stagedDescription).max(pageRowsMax),
});
export type StagedPage = z.infer<typeof stagedPage>;

/** Largest body of one staged chunk; a page larger than this is several chunks. */
export const chunkBytesMax = 2 * 1024 * 1024;
/** Header of PUT …/chunks/{chunk}: SHA-256 (hex) of the body. */
export const chunkDigestHeader = 'x-chunk-digest';

/**
 * The epoch of an inventory: its key and a number that grows with each erasure, `<key>/<number>`. A service
 * that stages a page reads it before it reads the page: what was read under an older one is never saved.
 */
const inventoryEpoch = z.string().regex(/^[0-9]+\/[0-9]+\/[0-9]+\/[0-9]+$/);

/** Query of PUT …/chunks/{chunk}: the source decides how soon unused chunks expire. */
export const stagingQuery = wire({
  source: scanSource.default('refresh'),
  /** Null from callers of an earlier version. */
  inventoryEpoch: orNull(inventoryEpoch),
});
export type StagingQuery = z.output<typeof stagingQuery>;

/** Response of GET /scans/{scan_id}/epochs/{epoch}/pages: the staged pages. */
const stagedPages = z.object({ pages: z.array(manifestPage).max(scanPagesMax) });

/** What a packed page begins with, before its rows: every value of a request follows them. */
export const packedPageBeginning = '{"success":true,"data":{';

/** Query of GET /inventories/{platform_id}/{app_id}/{context_id}/page of the revision-store. */
export const currentPageQuery = wire({
  language,
  pageSize: canonicalDecimal(1, pageAssetsMax),
  position: decimalWithDefault(0, Number.MAX_SAFE_INTEGER, 0),
  descriptions: descriptions.default('page'),
  /** In which the page may be packed. */
  coding: orNull(contentCoding),
  revisionId: orNull(revisionId),
  observationId: orNull(observationId),
}).refine((query) => (query.revisionId === null) === (query.observationId === null), {
  path: ['observation_id'],
  message: 'a pinned chain names both what its first page selected: revision and observation',
});

/** Query of GET /inventories/{platform_id}/{app_id}/{context_id}/assets of the revision-store. */
export const assetsQuery = z.object({
  language,
  descriptions: descriptions.default('page'),
  assetid: z
    .array(z.string().regex(/^[0-9]{1,20}$/))
    .min(1)
    .max(lookupAssetsMax),
});

/**
 * Query of GET /inventories/{platform_id}/{app_id}/{context_id}/lines of the revision-store: a run of
 * assets from a position on, a line each, with {@link currentPageMeta} in its header.
 */
export const exportLinesQuery = wire({
  language,
  format: exportFormat,
  position: decimalWithDefault(0, Number.MAX_SAFE_INTEGER, 0),
  /** What an export is of; null for the latest. */
  observationId: orNull(observationId),
});

/** Header with {@link currentPageMeta} (JSON) of the page bytes. */
export const currentPageMetaHeader = 'x-current-page';

/**
 * Metadata of a page of the revision-store. The body is the text of the two JSON members
 * `"assets":[…],"descriptions":[…]`, ready to be sent; where it is `packed`, with
 * {@link packedPageBeginning} before them and packed as the beginning of a response.
 */
export const currentPageMeta = wire({
  scope: inventoryKey,
  revisionId,
  observationId,
  verifiedAtMs: time,
  scanWindow,
  totalCount: z.int(),
  /** Decimal digits: may exceed 2^53. */
  totalAmount: z.string().regex(/^[0-9]+$/),
  reportedTotalCount: z.int(),
  /** The language of the descriptions. */
  language,
  /** Start of the next page; null on the last page. */
  nextPosition: z.int().nullable(),
  packed: wire({ coding: contentCoding, rawBytes: z.int(), crc32: z.int() }).nullable(),
  /** Of a lookup: the assets that the revision does not have. */
  notInRevision: z.array(z.string()).max(lookupAssetsMax).optional(),
});
export type CurrentPageMeta = z.output<typeof currentPageMeta>;

const epochFields = { scanId: z.uuid(), epoch: canonicalDecimal(1, 2 ** 31 - 1) };
/** Path parameters that name what one worker stages of a scan. */
const epochPath = wire(epochFields);
/** Path parameters that name a chunk of it. */
export const chunkPath = wire({
  ...epochFields,
  page: canonicalDecimal(0, scanPagesMax - 1),
  chunk: canonicalDecimal(0, pageChunksMax - 1),
});

/** What is JSON in the internal API of the revision-store. */
export const inventoryApi = {
  listStagedPages: operationsFor(['gateway']).get(pages, {
    input: { path: epochPath },
    response: stagedPages,
  }),
  readEpoch: operationsFor(['gateway', 'refresh-collector']).get(`${inventory}/epoch`, {
    input: { path: scopePath },
    response: wire({ inventoryEpoch }),
  }),
  readSummary: operationsFor(['gateway']).get(`${inventory}/summary`, {
    input: { path: scopePath },
    response: savedSummary,
    refusals: ['inventory_revision_not_found'],
  }),
  ageInventory: operationsFor(['gateway']).post(`${inventory}/age`, {
    input: { path: scopePath, body: inventoryAging },
    response: agedInventory,
    refusals: ['inventory_revision_not_found', 'concurrent_change'],
  }),
  readObservation: operationsFor(['refresh-collector']).get(`${inventory}/observation`, {
    input: { path: scopePath },
    response: savedObservation,
    refusals: ['inventory_revision_not_found'],
  }),
};
