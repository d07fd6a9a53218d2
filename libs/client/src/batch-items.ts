import { apiErrorOf } from './error-families.ts';
import { type ApiError, InvalidRequestError } from './errors.ts';
import { type Fields, fieldsIn, numberIn, type Success, textIn } from './read-answer.ts';
import { unexpected } from './read-records.ts';
import type { Meta } from './records.ts';

export interface Batch<Item, Checked, Result> {
  readonly items: readonly Item[];
  /** An item as it is sent; throws a TypeError for an invalid one. */
  readonly check: (item: Item) => Checked;
  readonly send: (checked: readonly Checked[]) => Promise<Success>;
  readonly readResult: (result: Fields, checked: Checked, meta: Meta) => Result;
  /** The result of an invalid item. */
  readonly refuse: (item: Item, error: ApiError) => Result;
}

/** One result for each item, in order. An invalid one is not sent, and does not refuse the others. */
export async function sendBatch<Item, Checked, Result>(
  batch: Batch<Item, Checked, Result>,
): Promise<Result[]> {
  const { items, send, readResult } = batch;
  if (!Array.isArray(items)) throw new TypeError('items must be an array.');
  const prepared = items.map((item: Item) => prepare(batch, item));
  const checked = prepared.flatMap((one) => ('checked' in one ? [one.checked] : []));
  const { data, meta } = checked.length === 0 ? noAnswer : await send(checked);
  const { items: results } = data;
  if (!Array.isArray(results) || results.length !== checked.length) throw unexpected('items');
  const next = results.values();
  return prepared.map((one) =>
    'checked' in one
      ? readResult(fieldsIn(next.next().value) ?? {}, one.checked, meta)
      : one.result,
  );
}

const noAnswer = { data: { items: [] }, meta: { request_id: '' } } as const;

function prepare<Item, Checked, Result>(
  { check, refuse }: Batch<Item, Checked, Result>,
  item: Item,
) {
  try {
    return { checked: check(item) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const failure = new InvalidRequestError({
      code: 'invalid_request',
      message: error.message,
      status: 422,
      requestId: null,
      detail: null,
      retryAfterSeconds: null,
      creditsCharged: 0,
    });
    return { result: refuse(item, failure) };
  }
}

/** The error of a refused item. */
export function errorIn(fields: Fields, item: string, { request_id: requestId }: Meta): ApiError {
  const error = fieldsIn(fields['error']);
  const code = textIn(error?.['code']);
  const message = textIn(error?.['message']);
  const status = numberIn(fields['status']);
  if (code === null || message === null || status === null) throw unexpected('error');
  return apiErrorOf({
    code,
    message: `${message} (item ${item}: ${status})`,
    detail: fieldsIn(error?.['detail']),
    status,
    requestId,
    retryAfterSeconds: numberIn(fields['retry_after_seconds']),
    creditsCharged: null,
  });
}
