/**
 * The closed list of V2 error codes: one code, one HTTP status, one public text.
 * `retryAfter` says that the answer always carries a `Retry-After` header.
 */
export const errorCodes = {
  missing_api_key: { status: 401, message: 'API key is missing.', retryAfter: false },
  invalid_api_key: { status: 401, message: 'API key is not valid.', retryAfter: false },
  permission_denied: {
    status: 403,
    message: 'This Credential may not do that.',
    retryAfter: false,
  },
  /** What was sent is no HTTP request. */
  malformed_request: {
    status: 400,
    message: 'The request is not valid HTTP.',
    retryAfter: false,
  },
  headers_too_large: {
    status: 431,
    message: 'The request line or the headers are too large.',
    retryAfter: false,
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    retryAfter: false,
  },
  invalid_request: { status: 422, message: 'The request is not valid.', retryAfter: false },
  malformed_json: { status: 400, message: 'The body is not valid JSON.', retryAfter: false },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be application/json.',
    retryAfter: false,
  },
  payload_too_large: { status: 413, message: 'The body is too large.', retryAfter: false },
  not_acceptable: {
    status: 406,
    message: 'None of the accepted types is offered here.',
    retryAfter: false,
  },
  max_credits_too_low: {
    status: 422,
    message: 'max_credits is below the required reservation.',
    retryAfter: false,
  },
  invalid_cursor: { status: 422, message: 'The cursor is not valid here.', retryAfter: false },
  cursor_expired: { status: 410, message: 'The cursor is no longer readable.', retryAfter: false },
  route_not_found: { status: 404, message: 'There is no such route.', retryAfter: false },
  method_not_allowed: {
    status: 405,
    message: 'The route does not offer this method.',
    retryAfter: false,
  },
  refresh_not_found: { status: 404, message: 'There is no such refresh.', retryAfter: false },
  project_not_found: { status: 404, message: 'There is no such Project.', retryAfter: false },
  webhook_endpoint_not_found: {
    status: 404,
    message: 'There is no such webhook endpoint.',
    retryAfter: false,
  },
  /** It was never appended, or neither log nor deliveries keep it any more. */
  event_not_found: { status: 404, message: 'There is no such event.', retryAfter: false },
  inventory_revision_not_found: {
    status: 404,
    message: 'No complete revision of this inventory has been saved.',
    retryAfter: false,
  },
  inventory_private: { status: 403, message: 'The inventory is private.', retryAfter: false },
  inventory_not_found: { status: 404, message: 'The inventory does not exist.', retryAfter: false },
  insufficient_credits: { status: 402, message: 'Not enough credits.', retryAfter: false },
  insufficient_units: { status: 402, message: 'Not enough subscription units.', retryAfter: false },
  spend_cap_reached: {
    status: 402,
    message: "The Project's monthly spend cap is reached.",
    retryAfter: false,
  },
  idempotency_conflict: {
    status: 409,
    message: 'The Idempotency-Key was used with other inputs.',
    retryAfter: false,
  },
  idempotency_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still being decided.',
    retryAfter: true,
  },
  webhook_endpoint_limit_reached: {
    status: 409,
    message: 'The Project has all the webhook endpoints it can have.',
    retryAfter: false,
  },
  refresh_already_completed: {
    status: 409,
    message: 'The refresh is already completed.',
    retryAfter: false,
  },
  rate_limit_exceeded: { status: 429, message: 'Rate limit exceeded.', retryAfter: true },
  outstanding_limit_exceeded: {
    status: 429,
    message: 'Too many refreshes of this account are outstanding.',
    retryAfter: true,
  },
  stream_limit_exceeded: {
    status: 429,
    message: 'Too many streams of this Project are open.',
    retryAfter: true,
  },
  product_unavailable: {
    status: 503,
    message: 'Refresh admission is temporarily closed.',
    retryAfter: true,
  },
  upstream_unavailable: {
    status: 502,
    message: 'The platform is not answering properly.',
    retryAfter: true,
  },
  upstream_timeout: {
    status: 504,
    message: 'The platform did not answer in time.',
    retryAfter: true,
  },
  billing_unavailable: {
    status: 503,
    message: 'Billing did not answer in time; nothing is charged.',
    retryAfter: true,
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment.',
    retryAfter: true,
  },
  internal_error: { status: 500, message: 'An internal error occurred.', retryAfter: false },
} as const satisfies Record<string, { status: number; message: string; retryAfter: boolean }>;

export type ErrorCode = keyof typeof errorCodes;
export type RetryableErrorCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]['retryAfter'] extends true ? Code : never;
}[ErrorCode];
export const errorCodeNames = Object.keys(errorCodes) as ErrorCode[];
