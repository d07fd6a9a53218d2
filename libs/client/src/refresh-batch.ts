import { checkOptions } from './arguments.ts';
import { errorIn, sendBatch } from './batch-items.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { BatchItem } from './options.ts';
import { checkedKey, checkedScope } from './paths.ts';
import { type Fields, fieldsIn, numberIn, type Success } from './read-answer.ts';
import { assertRefresh, unexpected } from './read-records.ts';
import type { BatchResult, Meta } from './records.ts';
import type { Call } from './transport.ts';

/** The lowest authorized charge, and the highest cost of a refresh. */
export const maxCreditsDefault = 125;

/** A retry of the whole batch is idempotent, because every item has a key. */
export function refreshBatch(
  items: readonly BatchItem[],
  newKey: ClientEnvironment['newKey'],
  callApi: (call: Call) => Promise<Success>,
): Promise<BatchResult[]> {
  const path = '/v2/platform/inventory-refreshes/batch';
  return sendBatch<BatchItem, CheckedItem, BatchResult>({
    items,
    check: (item) => checkedItem(item, newKey),
    send: (checked) => callApi({ method: 'POST', path, body: { items: checked } }),
    readResult: resultIn,
    refuse: (item, error) => ({
      accepted: false,
      idempotencyKey: String(item?.idempotencyKey ?? ''),
      error,
    }),
  });
}

type CheckedItem = ReturnType<typeof checkedItem>;

function checkedItem(item: BatchItem, newKey: ClientEnvironment['newKey']) {
  const { scope, ...rest } = item ?? {};
  checkOptions(rest);
  const { maxCredits = maxCreditsDefault, language, maxAge, idempotencyKey = newKey() } = rest;
  return {
    ...checkedScope(scope),
    language,
    maxCredits,
    maxAgeSeconds: maxAge,
    idempotencyKey: checkedKey(idempotencyKey),
  };
}

function resultIn(fields: Fields, { idempotencyKey }: CheckedItem, meta: Meta): BatchResult {
  if (fields['idempotency_key'] !== idempotencyKey) throw unexpected('idempotency_key');
  if (fields['success'] !== true) {
    return { accepted: false, idempotencyKey, error: errorIn(fields, idempotencyKey, meta) };
  }
  const { data } = fields;
  assertRefresh(data);
  const answer = {
    record: data,
    meta: { ...meta, ...fieldsIn(fields['meta']) },
    retryAfterSeconds: numberIn(fields['retry_after_seconds']),
    replayed: fields['idempotency_replayed'] === true,
  };
  return { accepted: true, idempotencyKey, answer };
}
