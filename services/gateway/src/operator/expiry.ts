import { Refused } from '@inventory/http/refused';
import { fromIsoTime } from '@inventory/runtime/clock';
import { z } from 'zod';

/** When a Credential ends, in milliseconds since the epoch; see {@link requireFuture}. */
export const expiry = z.iso
  .datetime({ offset: true })
  .transform(fromIsoTime)
  .nullable()
  .describe('In the future; null for never.');

/** An expiry in the past is a mistake: a Credential is ended at once by revoking it. */
export function requireFuture(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  const issue = { in: 'body', field: 'expires_at', reason: 'must be in the future' } as const;
  throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}
