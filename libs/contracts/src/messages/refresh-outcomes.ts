import { z } from 'zod';
import { accountId, projectId, refreshId, revisionId, watchId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { refreshOutcome, watchPauseReason } from '../vocabulary.ts';

/** A refresh became terminal: collection and billing are both done. */
export const refreshCompleted = z.object({
  refresh_id: refreshId,
  account_id: accountId,
  project_id: projectId,
  outcome: refreshOutcome,
  revision_id: revisionId.nullable(),
  /** The revision that it replaced. */
  previous_revision_id: revisionId.optional(),
  completed_at: z.iso.datetime(),
  scope: inventoryKey,
  /** Of a run of a watch. */
  watch_id: watchId.optional(),
});

/** A watch has no runs until the reason ends. */
export const watchPaused = z.object({
  watch_id: watchId,
  account_id: accountId,
  project_id: projectId,
  scope: inventoryKey,
  reason: watchPauseReason,
  paused_at: z.iso.datetime(),
});
