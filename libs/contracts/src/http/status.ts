import { z } from 'zod';
import { closedReason } from '../vocabulary.ts';

/** What ended in one quarter of an hour. */
const quarterHour = z.object({
  start: z.iso.datetime(),
  completed: z.int().min(0).describe('Refreshes that found out what there is.'),
  failed: z
    .int()
    .min(0)
    .describe('Refreshes that ended without a result, free; not those cancelled.'),
  wait_p50_seconds: z
    .int()
    .nullable()
    .describe('Half of the completed ones took at most so long; null where none completed.'),
  wait_p95_seconds: z.int().nullable().describe('As `wait_p50_seconds`, of 95 of 100.'),
});

const breaker = z.object({
  app_id: z.int(),
  state: z.enum(['closed', 'open', 'half_open']),
  open_until: z.iso.datetime(),
});

/** `data` of GET /v2/status. */
export const serviceStatus = z.object({
  at: z.iso.datetime(),
  admission: z.object({ state: z.enum(['open', 'closed']), reason: closedReason.nullable() }),
  expected_wait_seconds: z
    .int()
    .nullable()
    .describe('Of a refresh of typical size requested now; null while there is no estimate.'),
  circuit_breakers: z
    .array(breaker)
    .describe('Of applications whose items the platform does not serve at the moment.'),
  quarter_hours: z.array(quarterHour).describe('Of the last 24 hours, oldest first.'),
});
export type ServiceStatus = z.infer<typeof serviceStatus>;
