import { z } from 'zod';
import { environment } from '../environment.ts';
import { eventId, projectId, refreshId, revisionId, watchId } from '../ids.ts';
import { inventoryKey } from '../inventory-key.ts';
import { refreshOutcome, watchPauseReason } from '../vocabulary.ts';
import { time, wire } from '../wire.ts';

/** Types of the events in a Project's log, to which webhooks can subscribe. */
export const projectEventTypes = [
  'inventory.refresh.completed',
  'inventory.watch.paused',
  'account.balance.low',
] as const;
export const projectEventType = z.enum(projectEventTypes);
export type ProjectEventType = z.infer<typeof projectEventType>;

const common = {
  id: eventId.describe('The same on every delivery of the event.'),
  version: z.literal(1).describe('Version of the shape of this type.'),
  occurredAtMs: time,
  projectId,
  environment: environment.optional(),
};

/** A refresh is terminal: its outcome, never assets. */
export const refreshCompletedEvent = wire({
  ...common,
  type: z.literal('inventory.refresh.completed'),
  data: wire({
    refreshId,
    state: z.literal('completed'),
    outcome: refreshOutcome,
    scope: inventoryKey.describe('The inventory that was refreshed.'),
    revisionId: revisionId.nullable().describe('The saved revision; null where none was saved.'),
    watchId: watchId.nullable().describe('The watch whose run it is; null where there is none.'),
    test: z.literal(true).optional().describe('Present in a sample: nothing was refreshed.'),
  }),
  links: z
    .object({
      refresh: z.string(),
      current: z.string().optional().describe('Present where a revision was saved.'),
      changes: z
        .string()
        .optional()
        .describe('Since the revision that this one replaced; present where it replaced one.'),
    })
    .describe('Relative to the base address.'),
}).describe('A refresh is terminal: read its outcome, then Current.');

/** A watch has no runs until the reason ends. */
export const watchPausedEvent = wire({
  ...common,
  type: z.literal('inventory.watch.paused'),
  data: wire({
    watchId,
    scope: inventoryKey.describe('The watched inventory.'),
    reason: watchPauseReason,
  }),
  links: z.object({ watch: z.string() }).describe('Relative to the base address.'),
}).describe('A watch has no runs until the reason ends; it resumes by itself, or by PUT.');

/** The available amount fell below the threshold of the alert. */
export const balanceLowEvent = wire({
  ...common,
  type: z.literal('account.balance.low'),
  data: z.object({ available: z.int().min(0), threshold: z.int().min(1) }),
  links: z.object({ account: z.string() }).describe('Relative to the base address.'),
}).describe("Less is available than the threshold of the account's balance alert.");

/** An event of a Project, as on the stream and in webhooks. */
export const projectEvent = z.discriminatedUnion('type', [
  refreshCompletedEvent,
  watchPausedEvent,
  balanceLowEvent,
]);

/** The name of a type of event; later versions may add some. */
export const eventTypeName = z.string().regex(/^[a-z][a-z0-9._-]{0,99}$/);
