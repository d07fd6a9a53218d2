import {
  type ErrorCode,
  errorCodes,
  type RetryableErrorCode,
} from '@inventory/contracts/http/error-codes';
import type { PageDelivery } from './page-delivery.ts';

export interface RefusalExtras {
  /** Machine-readable particulars; part of the public contract of the code. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What an error of a billed operation says beside the usual: disposition and reason. */
  readonly billing?: Readonly<Record<string, string | number>>;
  /** Where the refusal itself is charged: the duty to say whether it was delivered. */
  readonly delivery?: PageDelivery;
  readonly cause?: unknown;
}

/** A request is answered with a code of the closed list; the code alone decides the status. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: ErrorCode;
  readonly detail: RefusalExtras['detail'];
  readonly headers: Readonly<Record<string, string>>;
  readonly billing: NonNullable<RefusalExtras['billing']>;
  readonly delivery: PageDelivery | undefined;

  constructor(code: ErrorCode, extras: RefusalExtras = {}) {
    super(errorCodes[code].message, { cause: extras.cause });
    this.code = code;
    this.detail = extras.detail;
    this.headers = extras.headers ?? {};
    this.billing = extras.billing ?? {};
    this.delivery = extras.delivery;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }
}

export function refuse(
  code: Exclude<ErrorCode, RetryableErrorCode>,
  extras?: RefusalExtras,
): Refusal {
  return new Refusal(code, extras);
}

/** For codes that always name a time after which another try is worthwhile. */
export function refuseForNow(
  code: RetryableErrorCode,
  retryAfterSeconds: number,
  extras: RefusalExtras = {},
): Refusal {
  const headers = { 'Retry-After': String(retryAfterSeconds), ...extras.headers };
  return new Refusal(code, { ...extras, headers });
}
