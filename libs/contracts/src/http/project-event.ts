import { z } from 'zod';
import { eventId, projectId, refreshId } from '../ids.ts';
import { refreshOutcome } from '../vocabulary.ts';

/** `inventory.refresh.completed`, as customers receive it: availability and outcome, never assets. */
export const projectEvent = z.object({
  id: eventId,
  version: z.literal(1),
  type: z.literal('inventory.refresh.completed'),
  occurred_at: z.iso.datetime(),
  project_id: projectId,
  data: z.object({
    refresh_id: refreshId,
    state: z.literal('completed'),
    outcome: refreshOutcome,
  }),
  links: z.object({ refresh: z.string() }),
});

export type ProjectEvent = z.infer<typeof projectEvent>;
