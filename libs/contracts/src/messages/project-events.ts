import { z } from 'zod';
import { projectId } from '../ids.ts';
import { eventText } from '../internal/event-log.ts';
import { orNull, time, wire } from '../wire.ts';

/** An event was appended to the Project's log. A notification: the log itself is authoritative. */
export const projectEventAppended = wire({
  projectId,
  /** Contiguous from 1 within one epoch of the Project's log. */
  position: z.int().min(1),
  logEpoch: z.int().min(1),
  /** As it was announced first. */
  event: eventText,
  /** When the log has acquired the position; null where its entry was pruned. */
  appendedAtMs: orNull(time),
});
export type AppendedEvent = z.output<typeof projectEventAppended>;
