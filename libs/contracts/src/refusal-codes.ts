import type { Refusal, RefusalCode } from './refusal.ts';

interface Row {
  readonly status: number;
  /** Fixed text for people; says nothing of internals. */
  readonly message: string;
  /** Where alone it is answered; absent where the public API answers it too. */
  readonly on?: 'operator' | 'internal';
  /** What the operator API says instead. */
  readonly operatorMessage?: string;
}

/** The one table of refusals: one code, one HTTP status and one text, on every HTTP surface. */
export const refusalCodes = {
  missing_api_key: { status: 401, message: 'API key is missing.' },
  invalid_api_key: { status: 401, message: 'API key is not valid.' },
  permission_denied: { status: 403, message: 'This Credential may not do that.' },
  /** What was sent is no HTTP request. */
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  headers_too_large: { status: 431, message: 'The request line or the headers are too large.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  invalid_request: { status: 422, message: 'The request is not valid.' },
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  not_acceptable: { status: 406, message: 'None of the accepted types is offered here.' },
  max_credits_too_low: { status: 422, message: 'max_credits is below the required reservation.' },
  invalid_cursor: { status: 422, message: 'The cursor is not valid here.' },
  cursor_expired: { status: 410, message: 'The cursor is no longer readable.' },
  route_not_found: { status: 404, message: 'There is no such route.' },
  method_not_allowed: { status: 405, message: 'The route does not offer this method.' },
  refresh_not_found: { status: 404, message: 'There is no such refresh.' },
  project_not_found: { status: 404, message: 'There is no such Project.' },
  webhook_endpoint_not_found: { status: 404, message: 'There is no such webhook endpoint.' },
  /** It was never appended, or neither log nor deliveries keep it any more. */
  event_not_found: { status: 404, message: 'There is no such event.' },
  inventory_revision_not_found: {
    status: 404,
    message: 'No complete revision of this inventory has been saved.',
  },
  inventory_private: { status: 403, message: 'The inventory is private.' },
  inventory_not_found: { status: 404, message: 'The inventory does not exist.' },
  insufficient_credits: { status: 402, message: 'Not enough credits.' },
  insufficient_units: { status: 402, message: 'Not enough subscription units.' },
  spend_cap_reached: { status: 402, message: "The Project's monthly spend cap is reached." },
  idempotency_conflict: { status: 409, message: 'The Idempotency-Key was used with other inputs.' },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still being decided.',
  },
  webhook_endpoint_limit_reached: {
    status: 409,
    message: 'The Project has all the webhook endpoints it can have.',
  },
  refresh_already_completed: { status: 409, message: 'The refresh is already completed.' },
  rate_limit_exceeded: { status: 429, message: 'Rate limit exceeded.' },
  outstanding_limit_exceeded: {
    status: 429,
    message: 'Too many refreshes of this account are outstanding.',
  },
  stream_limit_exceeded: { status: 429, message: 'Too many streams of this Project are open.' },
  product_unavailable: { status: 503, message: 'Refresh admission is temporarily closed.' },
  upstream_unavailable: { status: 502, message: 'The platform is not answering properly.' },
  upstream_timeout: { status: 504, message: 'The platform did not answer in time.' },
  billing_unavailable: {
    status: 503,
    message: 'Billing did not answer in time; nothing is charged.',
    operatorMessage: 'The ledger has not answered. The same request with the same key finds out.',
  },
  service_unavailable: { status: 503, message: 'The service cannot answer at the moment.' },
  internal_error: { status: 500, message: 'An internal error occurred.' },
  operator_token_required: {
    on: 'operator',
    status: 401,
    message: 'The operator token is missing or wrong.',
  },
  account_not_found: { on: 'operator', status: 404, message: 'There is no such account.' },
  credential_not_found: { on: 'operator', status: 404, message: 'There is no such Credential.' },
  credential_revoked: { on: 'operator', status: 409, message: 'The Credential is revoked.' },
  concurrent_change: { on: 'operator', status: 409, message: 'It was changed at the same time.' },
  /** Beyond 2^53 - 1 amounts are no longer exact. */
  balance_limit_exceeded: {
    on: 'operator',
    status: 409,
    message: 'The account would have more than can be counted exactly.',
  },
  service_token_required: {
    on: 'internal',
    status: 401,
    message: 'Missing or invalid service token.',
  },
  usage_too_large: { on: 'internal', status: 422, message: 'More use than one report may have.' },
  digest_mismatch: {
    on: 'internal',
    status: 422,
    message: 'The body is not what its digest says.',
  },
  chunk_conflict: {
    on: 'internal',
    status: 409,
    message: 'Another chunk is staged at this place.',
  },
  /** No open hold to resolve: never made, or made impossible by an earlier release. */
  hold_unknown: { on: 'internal', status: 409, message: 'There is no such hold.' },
  /** The charge was reversed before it arrived. */
  already_reversed: { on: 'internal', status: 409, message: 'The charge is already reversed.' },
  charge_unknown: { on: 'internal', status: 409, message: 'There is no such charge.' },
} as const satisfies Record<RefusalCode, Row>;

/** Codes that the public API can answer. */
export type PublicCode = {
  [Code in RefusalCode]: (typeof refusalCodes)[Code] extends { on: string } ? never : Code;
}[RefusalCode];
export type PublicRefusal = Extract<Refusal, { code: PublicCode }>;

export function rowOf(code: RefusalCode): Row {
  return refusalCodes[code];
}

export function isPublic(code: RefusalCode): code is PublicCode {
  return rowOf(code).on === undefined;
}

export const publicCodes = (Object.keys(refusalCodes) as RefusalCode[]).filter(isPublic);
