import type { Refusal, RefusalCode } from './refusal.ts';

/** The HTTP surfaces: the public API, the operator API, calls between the services. */
export type Surface = 'public' | 'operator' | 'internal';

interface Row {
  /** The surfaces that respond with it; none where only outcomes of commands carry it. */
  readonly on: readonly Surface[];
  readonly status: number;
  /** Fixed text for people, without internals. */
  readonly message: string;
  /** The text of the operator API, where it differs. */
  readonly operatorMessage?: string;
}

const everywhere = ['public', 'operator', 'internal'] as const;
const outside = ['public', 'operator'] as const;
const toCustomers = ['public'] as const;
const toOperators = ['operator'] as const;
const inside = ['internal'] as const;
/** Decided by another service, and passed to the customer as it is. */
const passedOn = ['public', 'internal'] as const;
/** Decided by another service, and passed to the operator as it is. */
const setByOperators = ['operator', 'internal'] as const;

/** The one table of refusals: one code, one HTTP status and one text, on every HTTP surface. */
export const refusalCodes = {
  missing_api_key: {
    on: toCustomers,
    status: 401,
    message: 'API key is missing: it belongs in the header X-API-Key.',
  },
  invalid_api_key: { on: toCustomers, status: 401, message: 'API key is not valid.' },
  permission_denied: { on: toCustomers, status: 403, message: 'This Credential may not do that.' },
  /** What was sent is no HTTP request. */
  malformed_request: { on: toCustomers, status: 400, message: 'The request is not valid HTTP.' },
  headers_too_large: {
    on: toCustomers,
    status: 431,
    message: 'The request line or the headers are too large.',
  },
  request_timeout: { on: toCustomers, status: 408, message: 'The request did not arrive in time.' },
  invalid_request: { on: everywhere, status: 422, message: 'The request is not valid.' },
  malformed_json: { on: everywhere, status: 400, message: 'The body is not valid JSON.' },
  unsupported_media_type: {
    on: everywhere,
    status: 415,
    message: 'The body must be application/json.',
  },
  payload_too_large: { on: everywhere, status: 413, message: 'The body is too large.' },
  not_acceptable: {
    on: outside,
    status: 406,
    message: 'None of the accepted types is offered here.',
  },
  max_credits_too_low: {
    on: toCustomers,
    status: 422,
    message: 'max_credits is below the required reservation.',
  },
  invalid_cursor: { on: outside, status: 422, message: 'The cursor is not valid here.' },
  revision_expired: {
    on: passedOn,
    status: 410,
    message: 'What changed since this revision is no longer kept.',
  },
  cursor_expired: { on: passedOn, status: 410, message: 'The cursor is no longer readable.' },
  route_not_found: { on: everywhere, status: 404, message: 'There is no such route.' },
  method_not_allowed: {
    on: everywhere,
    status: 405,
    message: 'The route does not offer this method.',
  },
  refresh_not_found: { on: passedOn, status: 404, message: 'There is no such refresh.' },
  project_not_found: { on: everywhere, status: 404, message: 'There is no such Project.' },
  webhook_endpoint_not_found: {
    on: everywhere,
    status: 404,
    message: 'There is no such webhook endpoint.',
  },
  /** It was never appended, or neither log nor deliveries keep it any more. */
  event_not_found: { on: everywhere, status: 404, message: 'There is no such event.' },
  inventory_revision_not_found: {
    on: passedOn,
    status: 404,
    message: 'No complete revision of this inventory has been saved.',
  },
  inventory_private: { on: passedOn, status: 403, message: 'The inventory is private.' },
  inventory_not_found: { on: passedOn, status: 404, message: 'The inventory does not exist.' },
  insufficient_credits: { on: outside, status: 402, message: 'Not enough credits.' },
  insufficient_units: { on: outside, status: 402, message: 'Not enough subscription units.' },
  spend_cap_reached: {
    on: toCustomers,
    status: 402,
    message: 'The monthly spend cap of the Project or the Credential is reached.',
  },
  idempotency_conflict: {
    on: everywhere,
    status: 409,
    message: 'The Idempotency-Key was used with other inputs.',
  },
  idempotency_in_progress: {
    on: toCustomers,
    status: 409,
    message: 'The first request with this Idempotency-Key is still being decided.',
  },
  replays_exhausted: {
    on: toCustomers,
    status: 409,
    message: 'The free replays of this Idempotency-Key are used up.',
  },
  webhook_endpoint_limit_reached: {
    on: passedOn,
    status: 409,
    message: 'The Project has all the webhook endpoints it can have.',
  },
  secret_rotation_in_progress: {
    on: everywhere,
    status: 409,
    message: 'Two secrets sign: the rotation before has not ended.',
  },
  refresh_already_completed: {
    on: toCustomers,
    status: 409,
    message: 'The refresh is already completed.',
  },
  rate_limit_exceeded: { on: passedOn, status: 429, message: 'Rate limit exceeded.' },
  outstanding_limit_exceeded: {
    on: toCustomers,
    status: 429,
    message: 'Too many refreshes of this account are outstanding.',
  },
  stream_limit_exceeded: {
    on: toCustomers,
    status: 429,
    message: 'Too many streams of this Project are open.',
  },
  watch_limit_exceeded: {
    on: toCustomers,
    status: 429,
    message: 'The Project has all the watches it can have.',
  },
  watch_not_found: { on: outside, status: 404, message: 'This inventory is not watched.' },
  product_unavailable: {
    on: toCustomers,
    status: 503,
    message: 'Refresh admission is temporarily closed.',
  },
  upstream_unavailable: {
    on: passedOn,
    status: 502,
    message: 'The platform is not responding properly.',
  },
  upstream_timeout: { on: passedOn, status: 504, message: 'The platform did not respond in time.' },
  billing_unavailable: {
    on: outside,
    status: 503,
    message: 'Billing did not respond in time; nothing is charged.',
    operatorMessage:
      'The ledger has not responded. The same request with the same key returns the outcome.',
  },
  service_unavailable: {
    on: outside,
    status: 503,
    message: 'The service cannot respond at the moment.',
  },
  internal_error: { on: everywhere, status: 500, message: 'An internal error occurred.' },
  operator_token_required: {
    on: toOperators,
    status: 401,
    message: 'The operator token is missing or wrong.',
  },
  operator_role_required: {
    on: toOperators,
    status: 403,
    message: 'The operator does not have the role that this needs.',
  },
  operator_throttled: {
    on: toOperators,
    status: 429,
    message: 'Too many wrong operator tokens came from this address.',
  },
  account_not_found: { on: toOperators, status: 404, message: 'There is no such account.' },
  service_account_not_found: {
    on: toOperators,
    status: 404,
    message: 'There is no such Service account.',
  },
  credential_not_found: { on: outside, status: 404, message: 'There is no such Credential.' },
  credential_revoked: { on: outside, status: 409, message: 'The Credential is revoked.' },
  credential_limit_reached: {
    on: toCustomers,
    status: 409,
    message: 'The Project has all the active Credentials it can issue itself.',
  },
  concurrent_change: {
    on: setByOperators,
    status: 409,
    message: 'It was changed at the same time.',
  },
  /** Beyond 2^53 - 1 amounts are no longer exact. */
  balance_limit_exceeded: {
    on: toOperators,
    status: 409,
    message: 'The account would have more than can be counted exactly.',
  },
  /** A published list never changes, and versions have no gap. */
  price_version_conflict: {
    on: setByOperators,
    status: 409,
    message: 'This version is published with other prices, or is not the next one.',
  },
  effective_date_too_early: {
    on: setByOperators,
    status: 409,
    message: 'A price list must be published before it takes effect.',
  },
  service_token_required: { on: inside, status: 401, message: 'Missing or invalid service token.' },
  caller_not_permitted: {
    on: inside,
    status: 403,
    message: 'The route does not name this service as a caller.',
  },
  usage_too_large: { on: inside, status: 422, message: 'More use than one report may have.' },
  digest_mismatch: { on: inside, status: 422, message: 'The body does not have this digest.' },
  chunk_conflict: { on: inside, status: 409, message: 'Another chunk is staged at this position.' },
  inventory_erased: {
    on: inside,
    status: 409,
    message: 'The inventory was erased since its epoch was read.',
  },
  /** No open hold to resolve: never made, or made impossible by an earlier release. */
  hold_unknown: { on: [], status: 409, message: 'There is no such hold.' },
  /** The charge was reversed before it arrived. */
  already_reversed: { on: [], status: 409, message: 'The charge is already reversed.' },
  charge_unknown: { on: [], status: 409, message: 'There is no such charge.' },
} as const satisfies Record<RefusalCode, Row>;

/** Codes that a surface can respond with. */
export type CodeOn<On extends Surface> = {
  [Code in RefusalCode]: On extends (typeof refusalCodes)[Code]['on'][number] ? Code : never;
}[RefusalCode];
export type PublicCode = CodeOn<'public'>;
export type OperatorCode = CodeOn<'operator'>;
export type PublicRefusal = Extract<Refusal, { code: PublicCode }>;

export function rowOf(code: RefusalCode): Row {
  return refusalCodes[code];
}

/** Whether a surface responds with a code. */
export function isOn<On extends Surface>(code: RefusalCode, surface: On): code is CodeOn<On> {
  return rowOf(code).on.includes(surface);
}

const codes = Object.keys(refusalCodes) as RefusalCode[];
export const publicCodes = codes.filter((code) => isOn(code, 'public'));
export const operatorCodes = codes.filter((code) => isOn(code, 'operator'));
