import { ServiceUnreachable } from '@inventory/http/internal-client';
import { EntryUndecided } from '../commands/request-ledger.ts';
import { toRefusal } from '../http/to-refusal.ts';
import { OperatorRefusal, type OperatorRefusalCode } from './operator-refusal.ts';

/** The closed list of the operator API's codes: one code, one status, one text. */
export const operatorErrors = {
  operator_token_required: { status: 401, message: 'The operator token is missing or wrong.' },
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  insufficient_credits: { status: 402, message: 'The account has fewer credits available.' },
  insufficient_units: { status: 402, message: 'The account has fewer units available.' },
  route_not_found: { status: 404, message: 'There is no such route.' },
  account_not_found: { status: 404, message: 'There is no such account.' },
  project_not_found: { status: 404, message: 'There is no such Project.' },
  credential_not_found: { status: 404, message: 'There is no such Credential.' },
  webhook_endpoint_not_found: { status: 404, message: 'There is no such webhook endpoint.' },
  event_not_found: { status: 404, message: 'There is no such event.' },
  method_not_allowed: { status: 405, message: 'The route does not offer this method.' },
  not_acceptable: { status: 406, message: 'None of the accepted types is offered here.' },
  credential_revoked: { status: 409, message: 'The Credential is revoked.' },
  concurrent_change: { status: 409, message: 'Somebody else changed it at the same time.' },
  idempotency_conflict: {
    status: 409,
    message: 'The Idempotency-Key was used with other inputs; nothing was booked.',
  },
  balance_limit_exceeded: {
    status: 409,
    message: 'The account would have more credits than can be counted exactly.',
  },
  payload_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  invalid_request: { status: 422, message: 'The request is not valid.' },
  invalid_cursor: { status: 422, message: 'The cursor is not valid here.' },
  internal_error: { status: 500, message: 'An internal error occurred.' },
  billing_unavailable: {
    status: 503,
    message: 'The ledger has not answered. The same request with the same key finds out.',
  },
  service_unavailable: { status: 503, message: 'A service this needs does not answer.' },
} as const satisfies Record<string, { status: number; message: string }> &
  Record<OperatorRefusalCode, unknown>;

type OperatorErrorCode = keyof typeof operatorErrors;

export interface InvalidValue {
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly field: string;
  readonly reason: string;
}

/** An answer other than success, thrown by whoever knows it first. */
export class OperatorError extends Error {
  override name = 'OperatorError';
  readonly code: OperatorErrorCode;
  readonly detail: Readonly<Record<string, unknown>> | undefined;

  constructor(code: OperatorErrorCode, detail?: Readonly<Record<string, unknown>>) {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** The coded error that stands for anything thrown; what is not known is `internal_error`. */
export function toOperatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  if (error instanceof OperatorRefusal) return new OperatorError(error.code, error.detail);
  if (error instanceof EntryUndecided) {
    return new OperatorError('billing_unavailable', { outcome: error.outcome });
  }
  if (error instanceof ServiceUnreachable) {
    return new OperatorError('service_unavailable', { reason: error.message });
  }
  return toBodyError(error) ?? toFault(error);
}

/** Whether a dependency is away is told as on the public port. */
function toFault(error: unknown): OperatorError {
  const isAway = toRefusal(error).code === 'service_unavailable';
  return new OperatorError(isAway ? 'service_unavailable' : 'internal_error');
}

/** Errors of reading a body carry their status; their texts repeat the body and are not used. */
function toBodyError(error: unknown): OperatorError | null {
  switch ((error as { status?: unknown } | null)?.status) {
    case 400:
      return new OperatorError('malformed_json');
    case 413:
      return new OperatorError('payload_too_large');
    case 415:
      return new OperatorError('unsupported_media_type');
    default:
      return null;
  }
}
