import { z } from 'zod';
import { observationId, revisionId } from '../ids.ts';
import { language } from '../languages.ts';
import { scope } from '../scope.ts';

/**
 * One page of a scan as the collector hands it to the revision-store: the platform's fields pass
 * through, lists are lists, `instanceid` is present, a currency row's `assetid` is its
 * `currencyid`, and an asset's properties sit inside it.
 */
export const stagedAsset = z.looseObject({
  appid: z.int(),
  contextid: z.string(),
  assetid: z.string().min(1),
  classid: z.string(),
  instanceid: z.string(),
  amount: z.string().regex(/^[0-9]{1,20}$/),
  currencyid: z.string().optional(),
});
export type StagedAsset = z.infer<typeof stagedAsset>;

export const stagedDescription = z.looseObject({
  appid: z.int(),
  classid: z.string(),
  instanceid: z.string(),
});
export type StagedDescription = z.infer<typeof stagedDescription>;

export const stagedPage = z.object({
  assets: z.array(stagedAsset),
  descriptions: z.array(stagedDescription),
});
export type StagedPage = z.infer<typeof stagedPage>;

/** Largest body of one staged chunk; a page larger than this is several chunks. */
export const chunkBytesMax = 2 * 1024 * 1024;
/** Header of PUT …/chunks/{chunk}: SHA-256 (hex) of the body. */
export const chunkDigestHeader = 'x-chunk-digest';

/** Query of GET /inventories/{platform_id}/{app_id}/{context_id}/page of the revision-store. */
export const currentPageQuery = z.object({
  language,
  page_size: z.coerce.number().int().min(1).max(2000),
  position: z.coerce.number().int().min(0).default(0),
  /** Both or neither: a pinned chain names what its first page selected. */
  revision_id: revisionId.optional(),
  observation_id: observationId.optional(),
});

/** Header that carries {@link currentPageMeta} (JSON) beside the ready-made page bytes. */
export const currentPageMetaHeader = 'x-current-page';

/**
 * What the revision-store says about a page. The body is the text of the two JSON members
 * `"assets":[…],"descriptions":[…]`, ready to be sent.
 */
export const currentPageMeta = z.object({
  scope,
  revision_id: revisionId,
  observation_id: observationId,
  verified_at: z.iso.datetime(),
  scan_window: z.object({ started_at: z.iso.datetime(), completed_at: z.iso.datetime() }),
  total_count: z.int(),
  /** Decimal digits: may exceed 2^53. */
  total_amount: z.string().regex(/^[0-9]+$/),
  reported_total_count: z.int(),
  /** The language of the descriptions given. */
  language,
  /** Where the next page begins; null on the last page. */
  next_position: z.int().nullable(),
});
export type CurrentPageMeta = z.infer<typeof currentPageMeta>;
