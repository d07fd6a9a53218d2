import { checkOptions } from './arguments.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { errorOf } from './error-families.ts';
import { type ApiError, InvalidRequestError } from './errors.ts';
import type { BatchItem } from './options.ts';
import { checkedKey, checkedScope } from './paths.ts';
import { fieldsIn, numberIn, type Success, textIn } from './read-answer.ts';
import { assertRefresh, unexpected } from './read-records.ts';
import type { BatchResult, Meta } from './records.ts';
import type { Call } from './transport.ts';

/** The lowest authorized charge, and the highest cost of a refresh. */
export const maxCreditsDefault = 125;

/** A retry of the whole batch is idempotent, because every item has a key. */
export async function refreshBatch(
  items: readonly BatchItem[],
  newKey: ClientEnvironment['newKey'],
  callApi: (call: Call) => Promise<Success>,
): Promise<BatchResult[]> {
  if (!Array.isArray(items)) throw new TypeError('items must be an array.');
  const prepared = items.map((item: BatchItem) => prepareItem(item, newKey));
  const wire = prepared.flatMap((one) => ('wire' in one ? [one.wire] : []));
  const path = '/v2/platform/inventory-refreshes/batch';
  const call = { method: 'POST', path, body: { items: wire } } as const;
  const keys = wire.map(({ idempotency_key }) => idempotency_key);
  const results = wire.length === 0 ? [] : readBatch(await callApi(call), keys);
  const next = results.values();
  return prepared.flatMap((one) => ('wire' in one ? (next.next().value ?? []) : one));
}

/** An invalid item is not sent: it is the result of that item, and not of the others. */
function prepareItem(item: BatchItem, newKey: ClientEnvironment['newKey']) {
  try {
    return { wire: wireItem(item, newKey) };
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
    const idempotencyKey = String(item?.idempotencyKey ?? '');
    return { accepted: false as const, idempotencyKey, error: failure };
  }
}

function wireItem(item: BatchItem, newKey: ClientEnvironment['newKey']) {
  const { scope, ...rest } = item ?? {};
  checkOptions(rest);
  const { maxCredits = maxCreditsDefault, language, maxAge, idempotencyKey = newKey() } = rest;
  return {
    ...checkedScope(scope),
    language,
    max_credits: maxCredits,
    max_age_seconds: maxAge,
    idempotency_key: checkedKey(idempotencyKey),
  };
}

/** `data` of a batch; its results have the order of the keys. */
function readBatch({ data, meta }: Success, keys: readonly string[]): BatchResult[] {
  const { items } = data;
  if (!Array.isArray(items) || items.length !== keys.length) throw unexpected('items');
  return keys.map((idempotencyKey, index) => resultIn(items[index], idempotencyKey, meta));
}

function resultIn(item: unknown, idempotencyKey: string, meta: Meta): BatchResult {
  const fields = fieldsIn(item) ?? {};
  if (fields['idempotency_key'] !== idempotencyKey) throw unexpected('idempotency_key');
  const retryAfterSeconds = numberIn(fields['retry_after_seconds']);
  if (fields['success'] === true) {
    const { data } = fields;
    assertRefresh(data);
    const answer = {
      record: data,
      meta: { ...meta, ...fieldsIn(fields['meta']) },
      retryAfterSeconds,
      replayed: fields['idempotency_replayed'] === true,
    };
    return { accepted: true, idempotencyKey, answer };
  }
  const error = errorIn(fields, `item ${idempotencyKey}`, meta.request_id);
  return { accepted: false, idempotencyKey, error };
}

/** The error of one item of a batch. */
export function errorIn(
  fields: Readonly<Record<string, unknown>>,
  item: string,
  requestId: string,
): ApiError {
  const error = fieldsIn(fields['error']);
  const code = textIn(error?.['code']);
  const message = textIn(error?.['message']);
  const status = numberIn(fields['status']);
  if (code === null || message === null || status === null) throw unexpected('error');
  return errorOf({
    code,
    message: `${message} (${item}: ${status})`,
    detail: fieldsIn(error?.['detail']),
    status,
    requestId,
    retryAfterSeconds: numberIn(fields['retry_after_seconds']),
    creditsCharged: null,
  });
}
