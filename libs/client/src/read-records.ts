import { UnexpectedAnswerError } from './errors.ts';
import { exactTotalAmount } from './exact-amount.ts';
import type { Success } from './read-answer.ts';
import type {
  CurrentPage,
  LivePage,
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
