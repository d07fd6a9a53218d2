import { z } from 'zod';
import { accountId, observationId, refreshId, revisionId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { language } from '../languages.ts';

/** One staged page of a scan with its digest, so that nothing else can be assembled. */
export const manifestPage = z.object({
  /** Ascending; the number of a page that was read again is skipped. */
  page: z.int().min(0),
  epoch: z.int().min(1),
  chunks: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(1) })),
});
export type ManifestPage = z.infer<typeof manifestPage>;

/**
 * The origin of the pages: a scan of a refresh, or a capture of live pages. The `scan_window` of a
 * capture starts with its chain, and a capture has no refresh.
 */
export const scanSource = z.enum(['refresh', 'capture']);

/** A scan read every page to the end: assemble exactly these pages and save the result. */
export const revisionScanCompleted = z.object({
  scan_id: z.uuid(),
  refresh_id: refreshId.nullable(),
  source: scanSource,
  account_id: accountId,
  scope: inventoryKey,
  language,
  /** The place of a refresh's scan among those of its inventory; absent for a capture. */
  sequence: z.int().min(1).optional(),
  scan_window: z.object({ started_at: z.iso.datetime(), completed_at: z.iso.datetime() }),
  /** The platform's own count, including hidden items. */
  reported_total_count: z.int().min(0),
  pages: z.array(manifestPage).max(250),
});

/** A scan will not be completed; its staged pages can be dropped. A running commit takes precedence. */
export const revisionScanAbandoned = z.object({
  scan_id: z.uuid(),
  refresh_id: refreshId.nullable(),
});

/** The scan's inventory is saved and readable. */
export const revisionCommitted = z.object({
  scan_id: z.uuid(),
  refresh_id: refreshId.nullable(),
  /** The inventory of a capture, for refreshes that wait for an observation that is young enough. */
  scope: inventoryKey.optional(),
  revision_id: revisionId,
  /** The revision that this one replaced. */
  previous_revision_id: revisionId.optional(),
  observation_id: observationId,
  /** False when the same assets were saved before: the revision is the earlier one. */
  changed: z.boolean(),
  /** Assets after deduplication, the basis of the charge. */
  observed_assets: z.int().min(0),
});

/** The scan's inventory is not saved and never will be. */
export const revisionRejected = z.object({
  scan_id: z.uuid(),
  refresh_id: refreshId.nullable(),
  reason: z.enum(['abandoned', 'missing_pages', 'invalid_pages']),
});
