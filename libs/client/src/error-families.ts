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

/** A code has one status; these families are narrower than theirs. */
const familyOfCode: ReadonlyMap<string, Family> = new Map([
  ['inventory_private', InventoryNotReadableError],
  ['inventory_not_found', InventoryNotReadableError],
]);

const familyOfStatus: ReadonlyMap<number, Family> = new Map<number, Family>([
  [401, AuthenticationError],
  [402, PaymentRequiredError],
  [403, PermissionError],
  [404, NotFoundError],
  [408, TemporarilyUnavailableError],
  [409, ConflictError],
  [410, CursorExpiredError],
  [429, LimitExceededError],
  [502, TemporarilyUnavailableError],
  [503, TemporarilyUnavailableError],
  [504, TemporarilyUnavailableError],
]);

/** The error of a response, also of one without a code, and of a code of a later version. */
export function apiErrorOf(failure: ApiFailure): ApiError {
  const { code, status } = failure;
  const family = familyOfCode.get(code) ?? familyOfStatus.get(status);
  if (family !== undefined) return new family(failure);
  if (status >= 500) return new ServerError(failure);
  if (status >= 400) return new InvalidRequestError(failure);
  return new ApiError(failure);
}
