import {
  ApiError,
  type ApiFailure,
  AuthenticationError,
  ConflictError,
  CursorExpiredError,
  InvalidRequestError,
  InventoryNotReadableError,
  LimitExceededError,
  NotFoundError,
  PaymentRequiredError,
  PermissionError,
  ServerError,
  TemporarilyUnavailableError,
} from './errors.ts';

type Family = new (failure: ApiFailure) => ApiError;

/** Every known code with its family. */
const familyOfCode: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['missing_api_key', AuthenticationError],
  ['invalid_api_key', AuthenticationError],
  ['permission_denied', PermissionError],
  ['malformed_request', InvalidRequestError],
  ['headers_too_large', InvalidRequestError],
  ['request_timeout', TemporarilyUnavailableError],
  ['invalid_request', InvalidRequestError],
  ['malformed_json', InvalidRequestError],
  ['unsupported_media_type', InvalidRequestError],
  ['payload_too_large', InvalidRequestError],
  ['not_acceptable', InvalidRequestError],
  ['max_credits_too_low', InvalidRequestError],
  ['invalid_cursor', InvalidRequestError],
  ['cursor_expired', CursorExpiredError],
  ['route_not_found', NotFoundError],
  ['method_not_allowed', InvalidRequestError],
  ['refresh_not_found', NotFoundError],
  ['project_not_found', NotFoundError],
  ['webhook_endpoint_not_found', NotFoundError],
  ['event_not_found', NotFoundError],
  ['inventory_revision_not_found', NotFoundError],
  ['inventory_private', InventoryNotReadableError],
  ['inventory_not_found', InventoryNotReadableError],
  ['insufficient_credits', PaymentRequiredError],
  ['insufficient_units', PaymentRequiredError],
  ['spend_cap_reached', PaymentRequiredError],
  ['idempotency_conflict', ConflictError],
  ['idempotency_in_progress', ConflictError],
  ['replays_exhausted', ConflictError],
  ['refresh_already_completed', ConflictError],
  ['webhook_endpoint_limit_reached', ConflictError],
  ['secret_rotation_in_progress', ConflictError],
  ['rate_limit_exceeded', LimitExceededError],
  ['outstanding_limit_exceeded', LimitExceededError],
  ['stream_limit_exceeded', LimitExceededError],
  ['product_unavailable', TemporarilyUnavailableError],
  ['upstream_unavailable', TemporarilyUnavailableError],
  ['upstream_timeout', TemporarilyUnavailableError],
  ['billing_unavailable', TemporarilyUnavailableError],
  ['service_unavailable', TemporarilyUnavailableError],
  ['internal_error', ServerError],
]);

/** For codes of later versions, and for responses without one. */
const familyOfStatus: ReadonlyMap<number, Family> = new Map<number, Family>([
  [401, AuthenticationError],
  [402, PaymentRequiredError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [410, CursorExpiredError],
  [429, LimitExceededError],
  [502, TemporarilyUnavailableError],
  [503, TemporarilyUnavailableError],
  [504, TemporarilyUnavailableError],
]);

/** The error of the code's family, or of the status's. */
export function errorOf(failure: ApiFailure): ApiError {
  const known = familyOfCode.get(failure.code) ?? familyOfStatus.get(failure.status);
  if (known !== undefined) return new known(failure);
  if (failure.status >= 500) return new ServerError(failure);
  if (failure.status >= 400) return new InvalidRequestError(failure);
  return new ApiError(failure);
}

export function isKnownCode(code: string): boolean {
  return familyOfCode.has(code);
}
