import { z } from 'zod';
import { observationId, refreshId, revisionId } from '../ids.ts';

/** The scan's inventory is saved and readable. */
export const revisionCommitted = z.object({
  scan_id: z.uuid(),
  refresh_id: refreshId.nullable(),
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
