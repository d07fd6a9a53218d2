import type { EventGap } from './event-records.ts';
import type { ExportProgress } from './export-progress.ts';

/** Base of every error of this client, except aborts and invalid arguments. */
export class InventoryError extends Error {
  override name = 'InventoryError';
  /** Whether the same call may succeed later. The client has retried already, within its limits. */
  readonly retryable: boolean = false;
}

/** No response, or an incomplete one. The request may have had its effect. */
export class ConnectionError extends InventoryError {
  override name = 'ConnectionError';
  override readonly retryable = true;
}

/** A refresh that is still running at the deadline. It continues: wait for it again by its id. */
export class RefreshNotFinishedError extends InventoryError {
  override name = 'RefreshNotFinishedError';
  override readonly retryable = true;
  readonly refreshId: string;

  constructor(refreshId: string, options: ErrorOptions = {}) {
    super(`Refresh ${refreshId} is not finished yet; it continues.`, options);
    this.refreshId = refreshId;
  }
}

/**
 * An export that was cut, and is not resumed because that might be charged once more. `fromRow` and
 * `observationId` of another call, from `progress.row` and `progress.observationId`, continue it for the
 * price of the rows that are left.
 */
export class ExportNotFinishedError extends InventoryError {
  override name = 'ExportNotFinishedError';
  readonly progress: ExportProgress;

  constructor(progress: ExportProgress, cause: InventoryError) {
    super(`The export was cut before row ${progress.row} of ${progress.rows}.`, { cause });
    this.progress = progress;
  }
}

/**
 * The service ended the stream because the Credential may no longer read it. Reconnecting with the
 * same key fails.
 */
export class AuthorizationRevokedError extends InventoryError {
  override name = 'AuthorizationRevokedError';
  /** `credential_revoked`, `events_not_enabled` and others. */
  readonly reason: string;

  constructor(reason: string) {
    super(`The permission to read the stream was revoked: ${reason}.`);
    this.reason = reason;
  }
}

/**
 * Events after the last cursor have expired. Read the state of the refreshes you wait for, then
 * follow the events from `gap.resumeCursor`; or pass `onGap`, which resumes by itself.
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

/** Why a webhook cannot be verified. */
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
    super(`The webhook cannot be verified: ${reason}.`);
    this.reason = reason;
  }
}

/** The content of an error response. */
export interface ApiFailure {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** For support; null when the response has none. */
  readonly requestId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
  readonly retryAfterSeconds: number | null;
  /** Cost of the failed call; null when the response does not have it. */
  readonly creditsCharged: number | null;
}

/** An error response of the service; its subclasses are families of codes. */
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

/** The API key is valid and lacks the permission. */
export class PermissionError extends ApiError {
  override name = 'PermissionError';
}

/** The request is invalid; `detail.issues` has its problems. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError';
}

/** There is no such refresh, Project or route, or no saved revision of the inventory. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}

/**
 * The revision of the cursor has expired: start again at the first page. Or what changed since a
 * revision is no longer kept: read the latest one, `detail.revision_id`.
 */
export class CursorExpiredError extends ApiError {
  override name = 'CursorExpiredError';
}

/** The platform confirmed that the inventory is private or does not exist. */
export class InventoryNotReadableError extends ApiError {
  override name = 'InventoryNotReadableError';
}

/** Credits, units or the Project's spend cap do not suffice. */
export class PaymentRequiredError extends ApiError {
  override name = 'PaymentRequiredError';
}

/** A conflict with an earlier request: another use of the key, a completed refresh. */
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

/** Admission is closed, the platform or a dependency is unavailable, or the service is stopping. */
export class TemporarilyUnavailableError extends ApiError {
  override name = 'TemporarilyUnavailableError';
  override readonly retryable = true;
}

/** An internal error of the service, or an error response of a proxy. */
export class ServerError extends ApiError {
  override name = 'ServerError';
  override readonly retryable = true;
}

/** A success response that breaks the interface. */
export class UnexpectedAnswerError extends InventoryError {
  override name = 'UnexpectedAnswerError';
}
