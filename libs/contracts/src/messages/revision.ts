import { z } from 'zod';
import { accountId, observationId, refreshId, revisionId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { language } from '../languages.ts';
import { orNull, time, wire } from '../wire.ts';

/** One staged page of a scan with its digest, so that nothing else can be assembled. */
export const manifestPage = z.object({
  /** Ascending; the number of a page that was read again is skipped. */
  page: z.int().min(0),
  epoch: z.int().min(1),
  chunks: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(1) })),
});
export type ManifestPage = z.infer<typeof manifestPage>;

/**
 * The origin of the pages: a scan of a refresh, or a capture of live pages. The window of a capture
 * starts with its chain, and a capture has no refresh.
 */
export const scanSource = z.enum(['refresh', 'capture']);
export type ScanSource = z.infer<typeof scanSource>;

export const scanWindow = wire({ startedAtMs: time, completedAtMs: time });
export type ScanWindow = z.output<typeof scanWindow>;

const scanIds = { scanId: z.uuid(), refreshId: refreshId.nullable() };

/** A scan read every page to the end: assemble exactly these pages and save the result. */
export const revisionScanCompleted = wire({
  ...scanIds,
  source: scanSource,
  accountId,
  scope: inventoryKey,
  language,
  /** The position of a refresh's scan among those of its inventory; null for a capture. */
  sequence: orNull(z.int().min(1)),
  scanWindow,
  /** The platform's own count, including hidden items. */
  reportedTotalCount: z.int().min(0),
  pages: z.array(manifestPage).max(250),
});

/** A scan will not be completed; its staged pages can be dropped. A running commit takes precedence. */
export const revisionScanAbandoned = wire(scanIds);
export type ScanIds = z.output<typeof revisionScanAbandoned>;

const committedFields = {
  revisionId,
  /** The revision that this one replaced; null where it replaced none. */
  previousRevisionId: orNull(revisionId),
  observationId,
  /** False when the same assets were saved before: the revision is the earlier one. */
  changed: z.boolean(),
  /** Assets after deduplication, the basis of the charge. */
  observedAssets: z.int().min(0),
};
const rejectionReason = z.enum(['abandoned', 'missing_pages', 'invalid_pages']);
export type RejectionReason = z.infer<typeof rejectionReason>;
const rejectedFields = { reason: rejectionReason };

/** The scan's inventory is saved and readable. */
export const revisionCommitted = wire({
  ...scanIds,
  /** The inventory of a capture, for refreshes that wait for an observation that is young enough. */
  scope: orNull(inventoryKey),
  ...committedFields,
});

/** The scan's inventory is not saved and never will be. */
export const revisionRejected = wire({ ...scanIds, ...rejectedFields });

/** What Current reads now of an inventory: the observation of a scan or of a capture. */
export const savedObservation = wire({
  revisionId,
  verifiedAtMs: time,
  /** Of its scan: in another one the texts may be older. */
  language,
  observedAssets: committedFields.observedAssets,
  /** Whether its scan is the one that changed the revision. */
  changed: z.boolean(),
  /** The revision that it then replaced; null where it replaced none. */
  previousRevisionId: orNull(revisionId),
});
export type SavedObservation = Readonly<z.output<typeof savedObservation>>;

/** What became of a scan. */
export const scanResult = z.discriminatedUnion('result', [
  wire(committedFields).out.extend({ result: z.literal('committed') }),
  wire(rejectedFields).out.extend({ result: z.literal('rejected') }),
]);
export type ScanResult = z.infer<typeof scanResult>;

const count = z.int().min(0);

/** How many changes of each kind two revisions have. */
export const changeCounts = z.object({ added: count, removed: count, changed: count });
export type ChangeCounts = Readonly<z.infer<typeof changeCounts>>;
