import type { RequestId } from '@inventory/contracts/ids';
import type { Refusal, RefusalCode } from '@inventory/contracts/refusal';
import { refusalCodes } from '@inventory/contracts/refusal-codes';
import { errorOf } from '@inventory/http/refused';
import type { BilledRefused } from './billed-refused.ts';
import { billHeaders } from './v1-bill-headers.ts';
import type { V1Dialect } from './v1-dialect.ts';

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
  rate_limit_exceeded: 'Rate limit exceeded',
  upstream_unavailable: 'Upstream unavailable',
  upstream_timeout: 'Upstream timeout',
  billing_unavailable: 'Billing unavailable',
  service_unavailable: 'Service unavailable',
  internal_error: 'Internal server error',
  method_not_allowed: 'Method Not Allowed',
  not_acceptable: 'Not Acceptable',
} as const satisfies Partial<Record<RefusalCode, string>>;

/** A failure of V1: its body, and its headers beside those of the refusal. */
export function v1Failure(
  dialect: V1Dialect,
  { refusal, billing }: { readonly refusal: Refusal; readonly billing: BilledRefused['billing'] },
  requestId: RequestId,
): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const headers = billHeaders(dialect, billing);
  return { body: Buffer.from(JSON.stringify(bodyOf(dialect, refusal, requestId))), headers };
}

function bodyOf(dialect: V1Dialect, refusal: Refusal, requestId: RequestId): unknown {
  const { code, message, detail } = errorOf(refusal);
  const error = { code, message, request_id: requestId };
  if (code === 'invalid_request') return { error: { ...error, ...(detail ? { detail } : {}) } };
  if (dialect === 'alias') return { error };
  return { detail: v1OriginalText(code) };
}

/** Texts of the original route in place of codes. */
export function v1OriginalText(code: RefusalCode): string {
  const texts: Partial<Record<RefusalCode, string>> = originalTexts;
  return texts[code] ?? refusalCodes[code].message;
}
