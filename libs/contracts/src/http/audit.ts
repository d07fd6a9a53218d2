import { z } from 'zod';
import { auditId, requestId } from '../ids.ts';
import { time, wire } from '../wire.ts';

/** What an operator did or attempted. */
export const auditRecord = wire({
  auditId,
  atMs: time,
  /** A change has two entries: before its effect, and with its outcome. */
  kind: z.enum(['started', 'ended', 'refused']),
  requestId,
  operator: z.string().nullable().describe('Null where the token is not of an operator.'),
  /** Address that the call came from. */
  peer: z.string(),
  method: z.string(),
  /** Without the query. */
  path: z.string(),
  /** Name of the change; null of a refused call that is none. */
  action: z.string().nullable(),
  /** Of a start the input, without secrets: no operation takes one. Of an end the ids of what was made. */
  parameters: z.record(z.string(), z.unknown()),
  outcome: z.string().nullable().describe('`done`, or an error code; null of a start.'),
});
