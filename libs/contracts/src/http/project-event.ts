import { z } from 'zod';
import { eventId, projectId, refreshId } from '../ids.ts';
import { refreshOutcome } from '../vocabulary.ts';

/** Types of the events that a Project's log holds, and that webhooks can be subscribed to. */
export const projectEventTypes = ['inventory.refresh.completed', 'account.balance.low'] as const;
export const projectEventType = z.enum(projectEventTypes);
export type ProjectEventType = z.infer<typeof projectEventType>;

const common = {
  id: eventId,
  version: z.literal(1),
  occurred_at: z.iso.datetime(),
  project_id: projectId,
};

/** A refresh is terminal: availability and outcome, never assets. */
export const refreshCompletedEvent = z.object({
  ...common,
  type: z.literal('inventory.refresh.completed'),
  data: z.object({
    refresh_id: refreshId,
    state: z.literal('completed'),
    outcome: refreshOutcome,
  }),
  links: z.object({ refresh: z.string() }),
});

/** Less than the alert's threshold is available, for the first time since it was not. */
export const balanceLowEvent = z.object({
  ...common,
  type: z.literal('account.balance.low'),
  data: z.object({ available: z.int().min(0), threshold: z.int().min(1) }),
  links: z.object({ account: z.string() }),
});

/** An event as customers receive it, on the stream and by webhook. */
export const projectEvent = z.discriminatedUnion('type', [refreshCompletedEvent, balanceLowEvent]);

export type ProjectEvent = z.infer<typeof projectEvent>;
