import type { EventGap } from './event-gap.ts';

/** Root of everything this client throws, but for aborts and mistakes in its own arguments. */
export class InventoryError extends Error {
  override name = 'InventoryError';
  /** Whether the same call may succeed later. The client has tried that already, within its limits. */
  readonly retryable: boolean = false;
}

/** No answer, or none that could be read to its end. What was asked may have been done. */
export class ConnectionError extends InventoryError {
  override name = 'ConnectionError';
  override readonly retryable = true;
}

/** A refresh that is still under way at the deadline. It goes on: wait for it again by its id. */
export class RefreshNotFinishedError extends InventoryError {
  override name = 'RefreshNotFinishedError';
  override readonly retryable = true;
  readonly refreshId: string;

  constructor(refreshId: string, options: ErrorOptions = {}) {
    super(`Refresh ${refreshId} is not finished yet; it goes on.`, options);
    this.refreshId = refreshId;
  }
}

/**
 * The stream was ended because the Credential may not read it any more. Connecting again with the
 * same key is of no use.
 */
export class AuthorizationRevokedError extends InventoryError {
  override name = 'AuthorizationRevokedError';
  /** `credential_revoked`, `events_disabled` and others. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The stream may not be read any more: ${reason}.`);
    this.reason = reason;
  }
}

/**
 * Events after the last cursor are no longer kept. Read the state of what you wait for, then follow
 * the events from `gap.resumeCursor`; or give `onGap`, and both happens by itself.
 */
export class RecoveryRequiredError extends InventoryError {
  override name = 'RecoveryRequiredError';
  readonly gap: EventGap;

  constructor(gap: EventGap) {
    super(
      `Events are missing (${gap.reason}): list the refreshes you wait for, then follow from gap.resumeCursor.`,
    );
    this.gap = gap;
  }
}

/** Why a webhook is not to be believed. */
export type WebhookFault =
  | 'headers_missing'
  | 'timestamp_malformed'
  | 'timestamp_outside_tolerance'
  | 'signature_mismatch'
  | 'body_malformed';

export class WebhookVerificationError extends InventoryError {
  override name = 'WebhookVerificationError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault) {
    super(`The webhook is not to be believed: ${reason}.`);
    this.reason = reason;
  }
}

/** What an error answer says. */
export interface ApiFailure {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** For support; null when the answer named none. */
  readonly requestId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly retryAfterSeconds: number | null;
  /** What the failed call cost, where the answer says so. */
  readonly creditsCharged: number | null;
}

/** The service answered with an error; its subclasses are the families of codes. */
export class ApiError extends InventoryError implements ApiFailure {
  override name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly retryAfterSeconds: number | null;
  readonly creditsCharged: number | null;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status;
    this.requestId = failure.requestId;
    this.detail = failure.detail;
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.creditsCharged = failure.creditsCharged;
  }
}

/** The API key is missing, unknown, revoked, expired or suspended. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError';
}

/** The API key is valid and may not do this. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}

/** The request can never succeed as it is; `detail.issues` names what is wrong with it. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}

/** There is no such refresh, Project or route, or nothing was ever saved of the inventory. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/** The cursor was valid and its revision is no longer kept: start again at the first page. */
export class CursorExpiredError extends ApiError {
  override name = 'CursorExpiredError';
}

/** The platform confirmed that the inventory is private or does not exist. */
export class InventoryNotReadableError extends ApiError {
  override name = 'InventoryNotReadableError';
}

/** Credits, units or the Project's spend cap do not allow it. */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError';
}

/** It contradicts what happened before: another use of the key, a completed refresh. */
export class ConflictError extends ApiError {
  override name = 'ConflictError';
  override readonly retryable: boolean;

  constructor(failure: ApiFailure) {
    super(failure);
    this.retryable = failure.code === 'idempotency_in_progress';
  }
}

/** Too many requests, outstanding refreshes or streams. */
export class LimitExceededError extends ApiError {
  override name = 'LimitExceededError';
  override readonly retryable = true;
}

/** Closed admission, trouble of the platform or of a dependency, a stopping service. */
export class TemporarilyUnavailableError extends ApiError {
  override name = 'TemporarilyUnavailableError';
  override readonly retryable = true;
}

/** The service failed, or something between it and the client answered in its place. */
export class ServerError extends ApiError {
  override name = 'ServerError';
  override readonly retryable = true;
}

/** A success that is not what the interface says. */
export class UnexpectedAnswerError extends InventoryError {
  override name = 'UnexpectedAnswerError';
}
