import { errorOf } from './error-families.ts';
import { UnexpectedAnswerError } from './errors.ts';
import { exactTotalAmount } from './exact-amount.ts';
import { type Fields, fieldsIn, isFields, numberIn, textIn } from './fields.ts';
import type { components } from './generated/wire-types.ts';
import type { Success } from './read-answer.ts';
import type {
  BatchResult,
  CurrentPage,
  LivePage,
  Meta,
  PageAnswer,
  RefreshAnswer,
  RefreshPage,
  RefreshRecord,
} from './records.ts';

type Schemas = components['schemas'];
type ListPagination = Schemas['Pagination'];

interface Items<Item> {
  readonly items: readonly Item[];
  readonly pagination: ListPagination;
}

/**
 * Success response to record. The fields that the client relies on are checked; the others are
 * passed on unchanged.
 */
export function readRefresh({ data, meta, retryAfterSeconds, replayed }: Success): RefreshAnswer {
  assertRefresh(data);
  return { record: data, meta, retryAfterSeconds, replayed };
}

export function readRefreshPage(success: Success): RefreshPage {
  const { items, pagination } = readItems<RefreshRecord>(success);
  for (const item of items) assertRefresh(item);
  return { items, pagination };
}

/** `data` of a list. */
export function readItems<Item>({ data }: Success): Items<Item> {
  const { items, pagination } = data;
  if (!Array.isArray(items)) throw unexpected('items');
  assertPagination(pagination);
  return { items, pagination };
}

/** `data`, which must have this field. */
export function dataOf<Data>({ data }: Success, field: keyof Data & string): Data {
  if (data[field] === undefined) throw unexpected(field);
  return data as Data;
}

export function readCurrentPage(success: Success): PageAnswer<CurrentPage> {
  const { data, meta, replayed, text } = success;
  assertPage<Schemas['CurrentPage']>(data);
  const totalAmount = exactTotalAmount(data.total_amount, text);
  if (totalAmount === null) throw unexpected('total_amount');
  return { page: { ...data, total_amount: totalAmount }, meta, replayed };
}

export function readLivePage({ data, meta, replayed }: Success): PageAnswer<LivePage> {
  assertPage<LivePage>(data);
  return { page: data, meta, replayed };
}

/** `data` of a batch; its results have the order of the keys. */
export function readBatch({ data, meta }: Success, keys: readonly string[]): BatchResult[] {
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
  const error = fieldsIn(fields['error']);
  const code = textIn(error?.['code']);
  const message = textIn(error?.['message']);
  const status = numberIn(fields['status']);
  if (code === null || message === null || status === null) throw unexpected('error');
  const failure = {
    code,
    message: `${message} (item ${idempotencyKey}: ${status})`,
    detail: fieldsIn(error?.['detail']),
    status,
    requestId: meta.request_id,
    retryAfterSeconds,
    creditsCharged: null,
  };
  return { accepted: false, idempotencyKey, error: errorOf(failure) };
}

function assertRefresh(value: unknown): asserts value is RefreshRecord {
  const fields = fieldsIn(value);
  if (typeof fields?.['refresh_id'] !== 'string') throw unexpected('refresh_id');
  if (typeof fields['state'] !== 'string') throw unexpected('state');
  if (typeof fieldsIn(fields['billing'])?.['state'] !== 'string') throw unexpected('billing');
}

function assertPage<Page extends Fields>(data: Fields): asserts data is Page {
  if (!Array.isArray(data['assets'])) throw unexpected('assets');
  if (!Array.isArray(data['descriptions'])) throw unexpected('descriptions');
  assertPagination(data['pagination']);
}

function assertPagination(value: unknown): asserts value is ListPagination {
  if (!isFields(value) || typeof value['has_more'] !== 'boolean') throw unexpected('pagination');
}

function unexpected(field: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`The response has no valid ${field}.`);
}
