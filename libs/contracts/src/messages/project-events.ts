import { z } from 'zod';
import { projectId } from '../ids.ts';
import { eventText } from '../internal/event-log.ts';

/** An event was appended to the Project's log. A notification: the log itself is authoritative. */
export const projectEventAppended = z.object({
  project_id: projectId,
  /** Contiguous from 1 within one epoch of the Project's log. */
  position: z.int().min(1),
  log_epoch: z.int().min(1),
  event: eventText,
  /** When the log has acquired the position; absent where its entry was pruned. */
  appended_at: z.iso.datetime().optional(),
});
