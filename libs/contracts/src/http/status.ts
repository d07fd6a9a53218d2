import { z } from 'zod';
import { closedReason } from '../vocabulary.ts';
import { time, wire } from '../wire.ts';

/** What ended in one quarter of an hour. */
const quarterHour = wire({
  start: time,
  measured: z
    .boolean()
    .optional()
    .describe('False where no replica counted: the other fields are then no evidence of anything.'),
  completed: z.int().min(0).describe('Refreshes that found out what there is.'),
  failed: z
    .int()
    .min(0)
    .describe('Refreshes that ended without a result, free; not those cancelled.'),
  waitP50Seconds: z
    .int()
    .nullable()
    .describe('Half of the completed ones took at most so long; null where none completed.'),
  waitP95Seconds: z.int().nullable().describe('As `wait_p50_seconds`, of 95 of 100.'),
});

const breaker = wire({
  appId: z.int(),
  state: z.enum(['closed', 'open', 'half_open']),
  openUntilMs: time,
});

/** `data` of GET /v2/status. */
export const serviceStatus = wire({
  atMs: time,
  admission: z.object({ state: z.enum(['open', 'closed']), reason: closedReason.nullable() }),
  expectedWaitSeconds: z
    .int()
    .nullable()
    .describe('Of a refresh of typical size requested now; null while there is no estimate.'),
  circuitBreakers: z
    .array(breaker)
    .describe('Of applications whose items the platform does not serve at the moment.'),
  quarterHours: z.array(quarterHour).describe('Of the last 24 hours, oldest first.'),
});
export type ServiceStatus = z.output<typeof serviceStatus>;
