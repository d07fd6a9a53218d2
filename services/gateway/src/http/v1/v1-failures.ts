import type { Billing } from '@inventory/contracts/http/error-body';
import type { RequestId } from '@inventory/contracts/ids';
import { detailOf, type Refusal, type RefusalCode } from '@inventory/contracts/refusal';
import { refusalCodes } from '@inventory/contracts/refusal-codes';
import type { V1Dialect } from './v1-dialect.ts';
import { billHeaders } from './v1-headers.ts';

/** The fixed texts of the original route; clients compare them. */
const originalTexts = {
  missing_api_key: 'API Key is missing',
  invalid_api_key: 'Invalid API Key',
  permission_denied: 'Unauthorized',
  inventory_private: 'Inventory is private',
  inventory_not_found: 'Inventory not found',
  insufficient_credits: 'Insufficient credits',
  insufficient_units: 'Insufficient subscription units',
  spend_cap_reached: 'Monthly spend cap reached',
  idempotency_conflict: 'Idempotency-Key was used with other inputs',
  idempotency_in_progress: 'Request with this Idempotency-Key is in progress',
  replays_exhausted: 'Request was already accepted',
  rate_limit_exceeded: 'Rate limit exceeded',
  upstream_unavailable: 'Upstream unavailable',
  billing_unavailable: 'Billing unavailable',
  service_unavailable: 'Service unavailable',
  internal_error: 'Internal server error',
  method_not_allowed: 'Method Not Allowed',
  not_acceptable: 'Not Acceptable',
} as const satisfies Partial<Record<RefusalCode, string>>;

interface V1Failure {
  readonly status: number;
  readonly body: Buffer;
  /** Beside those of the refusal. */
  readonly headers: Record<string, string>;
}

/** A failure of V1. It has no 504: a platform that is slow is unavailable there. */
export function v1Failure(
  dialect: V1Dialect,
  { refusal, billing }: { readonly refusal: Refusal; readonly billing: Billing },
  requestId: RequestId,
): V1Failure {
  const code = refusal.code === 'upstream_timeout' ? 'upstream_unavailable' : refusal.code;
  const body = bodyOf(dialect, { code, detail: detailOf(refusal) }, requestId);
  return {
    status: refusalCodes[code].status,
    body: Buffer.from(JSON.stringify(body)),
    headers: billHeaders(dialect, billing),
  };
}

function bodyOf(
  dialect: V1Dialect,
  { code, detail }: { readonly code: RefusalCode; readonly detail: unknown },
  requestId: RequestId,
): unknown {
  const { message } = refusalCodes[code];
  if (dialect === 'original' && code !== 'invalid_request') return { detail: v1OriginalText(code) };
  return { error: { code, message, request_id: requestId, ...(detail ? { detail } : {}) } };
}

/** Texts of the original route in place of codes. */
export function v1OriginalText(code: RefusalCode): string {
  const texts: Partial<Record<RefusalCode, string>> = originalTexts;
  return texts[code] ?? refusalCodes[code].message;
}
