import { z } from 'zod';
import { canonicalDecimal } from '../http/parameters.ts';
import { accountId } from '../ids.ts';
import { language } from '../languages.ts';
import { endCheckResult, pageAssetsMax } from '../vocabulary.ts';
import { orNull, wire } from '../wire.ts';

/** Path of a live page in the refresh-collector's internal API. */
export const livePagePath = '/inventories/{platform_id}/{app_id}/{context_id}/live-page';

/** Header of the call: milliseconds the caller waits for the response. No clocks are compared. */
export const timeLeftHeader = 'x-time-left-ms';

/** Longest wait for one live page, confirmation of a denial included. */
export const livePageWaitMaxMs = 20_000;

/** `v2` keeps an asset's properties inside it; `v1` leaves them out, as the first version did. */
export const livePageForm = z.enum(['v2', 'v1']);
export type LivePageForm = z.infer<typeof livePageForm>;

/** Query of GET /inventories/{platform_id}/{app_id}/{context_id}/live-page of the collector. */
export const livePageQuery = wire({
  accountId,
  language,
  form: livePageForm,
  count: canonicalDecimal(1, pageAssetsMax),
  /** Continues after this asset; absent for the first page. */
  startAssetid: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .optional(),
  /**
   * Start of the page before, empty for the first page: a last page without assets is then checked
   * against that page, read again. Absent: it is not checked.
   */
  previousStartAssetid: z
    .string()
    .regex(/^[0-9]{0,20}$/)
    .optional(),
});

/** Header that carries {@link livePageMeta} (JSON) beside the ready-made page bytes. */
export const livePageMetaHeader = 'x-live-page';

/**
 * The collector's response for a live page. The body is the text of the two JSON members
 * `"assets":[…],"descriptions":[…]`, ready to be sent.
 */
export const livePageMeta = wire({
  /** As the platform reports it for the complete inventory, not for this page. */
  totalCount: z.int().min(0),
  /** Assets on this page. */
  assetCount: z.int().min(0),
  /** Where the next page begins; null on the last page. */
  nextStartAssetid: z.string().nullable(),
  /** Null when there was nothing to check, or no time to. */
  endCheck: orNull(endCheckResult),
});
export type LivePageMeta = z.output<typeof livePageMeta>;
