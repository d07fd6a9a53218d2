import { detailOf, type Refusal, retryAfterOf } from '@inventory/contracts/refusal';
import { rowOf } from '@inventory/contracts/refusal-codes';

/** Carries a refusal to an HTTP edge; the error middleware of each server renders it. */
export class Refused<Own extends Refusal = Refusal> extends Error {
  override name = 'Refused';
  readonly refusal: Own;
  /** All headers of the response that its refusal decides. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    refusal: Own,
    /** Headers of the response beside `Retry-After`. */
    { headers, cause }: { headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(refusal.code, { cause });
    const retryAfter = retryAfterOf(refusal);
    this.refusal = refusal;
    this.headers = {
      ...(retryAfter === null ? {} : { 'Retry-After': String(retryAfter) }),
      ...headers,
    };
  }
}

/** Status of the response to a refusal. */
export function statusOf({ code }: Refusal): number {
  return rowOf(code).status;
}

/** The fields of a refusal that every error body has. */
export function errorOf<Own extends Refusal>(refusal: Own) {
  const code: Own['code'] = refusal.code;
  const detail = detailOf(refusal);
  return { code, message: rowOf(code).message, ...(detail === undefined ? {} : { detail }) };
}
