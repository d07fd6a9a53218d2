import { errorOf } from './error-families.ts';
import { type ApiFailure, UnexpectedAnswerError } from './errors.ts';
import { exactTotalAmount } from './exact-amount.ts';
import type { Success } from './read-answer.ts';
import type {
  BatchResult,
  CurrentPage,
  LivePage,
  Meta,
  PageAnswer,
  Pagination,
  RefreshAnswer,
  RefreshPage,
  RefreshRecord,
} from './records.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Items<Item> {
  readonly items: readonly Item[];
  readonly pagination: Pagination;
}

/**
 * Success to record. What the client itself relies on is checked; the rest is passed on as the
 * service sent it.
 */
export function readRefresh({ data, meta, retryAfterSeconds, replayed }: Success): RefreshAnswer {
  return { record: refreshIn(data), meta, retryAfterSeconds, replayed };
}

export function readRefreshPage(success: Success): RefreshPage {
  const { items, pagination } = readItems<Fields>(success);
  return { items: items.map(refreshIn), pagination };
}

/** `data` of a list. */
export function readItems<Item>({ data }: Success): Items<Item> {
  const { items } = data;
  if (!Array.isArray(items)) throw unexpected('items');
  return { items, pagination: paginationIn(data) };
}

/** `data` that has at least this field. */
export function dataOf<Data>({ data }: Success, field: keyof Data & string): Data {
  if (data[field] === undefined) throw unexpected(field);
  return data as Data;
}

export function readCurrentPage(success: Success): PageAnswer<CurrentPage> {
  const { data, meta, replayed, text } = success;
  const totalAmount = exactTotalAmount(data['total_amount'], text);
  if (totalAmount === null) throw unexpected('total_amount');
  const page = { ...itemsIn(data), total_amount: totalAmount } as unknown as CurrentPage;
  return { page, meta, replayed };
}

export function readLivePage({ data, meta, replayed }: Success): PageAnswer<LivePage> {
  return { page: itemsIn(data) as unknown as LivePage, meta, replayed };
}

/** `data` of a batch, whose results come in the order of its keys. */
export function readBatch({ data, meta }: Success, keys: readonly string[]): BatchResult[] {
  const { items } = data;
  if (!Array.isArray(items) || items.length !== keys.length) throw unexpected('items');
  return keys.map((idempotencyKey, index) => resultIn(items[index], idempotencyKey, meta));
}

function resultIn(item: Fields, idempotencyKey: string, meta: Meta): BatchResult {
  if (item['idempotency_key'] !== idempotencyKey) throw unexpected('idempotency_key');
  const retryAfterSeconds = (item['retry_after_seconds'] ?? null) as number | null;
  if (item['success'] === true) {
    const answer = {
      record: refreshIn(item['data'] as Fields),
      meta: { ...meta, ...(item['meta'] as Meta) },
      retryAfterSeconds,
      replayed: item['idempotency_replayed'] === true,
    };
    return { accepted: true, idempotencyKey, answer };
  }
  const { code, message, detail = null } = (item['error'] ?? {}) as Partial<ApiFailure>;
  const { status } = item;
  if (code === undefined || message === undefined || typeof status !== 'number') {
    throw unexpected('error');
  }
  const said = { code, message: `${message} (item ${idempotencyKey}: ${status})`, detail };
  const about = { status, requestId: meta.request_id, retryAfterSeconds, creditsCharged: null };
  return { accepted: false, idempotencyKey, error: errorOf({ ...said, ...about }) };
}

function refreshIn(fields: Fields): RefreshRecord {
  const { refresh_id, state, billing } = fields as Partial<RefreshRecord>;
  if (typeof refresh_id !== 'string') throw unexpected('refresh_id');
  if (typeof state !== 'string') throw unexpected('state');
  if (typeof billing?.state !== 'string') throw unexpected('billing');
  return fields as unknown as RefreshRecord;
}

function itemsIn(data: Fields): Fields {
  if (!Array.isArray(data['assets'])) throw unexpected('assets');
  if (!Array.isArray(data['descriptions'])) throw unexpected('descriptions');
  paginationIn(data);
  return data;
}

function paginationIn(data: Fields): Pagination {
  const pagination = data['pagination'] as Partial<Pagination> | undefined;
  if (typeof pagination?.has_more !== 'boolean') throw unexpected('pagination');
  return pagination as Pagination;
}

function unexpected(field: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`The answer has no proper ${field}.`);
}
