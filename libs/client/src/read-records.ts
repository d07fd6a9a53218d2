import { UnexpectedAnswerError } from './errors.ts';
import type { components } from './generated/wire-types.ts';
import { type Fields, fieldsIn, isFields, type Success } from './read-answer.ts';
import type {
  ChangesPage,
  CurrentPage,
  LivePage,
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
export function refreshAnswerIn({
  data,
  meta,
  retryAfterSeconds,
  replayed,
}: Success): RefreshAnswer {
  assertRefresh(data);
  return { record: data, meta, retryAfterSeconds, replayed };
}

export function refreshPageIn(success: Success): RefreshPage {
  const { items, pagination } = itemsIn<RefreshRecord>(success);
  for (const item of items) assertRefresh(item);
  return { items, pagination };
}

/** `data` of a list. */
export function itemsIn<Item>({ data }: Success): Items<Item> {
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

export function currentPageIn(success: Success): PageAnswer<CurrentPage> {
  const { data, meta, replayed, text } = success;
  assertPage<Schemas['CurrentPage']>(data);
  const totalAmount = exactTotalAmount(data.total_amount, text);
  if (totalAmount === null) throw unexpected('total_amount');
  return { page: { ...data, total_amount: totalAmount }, meta, replayed };
}

export function livePageIn({ data, meta, replayed }: Success): PageAnswer<LivePage> {
  assertPage<LivePage>(data);
  return { page: data, meta, replayed };
}

export function changesPageIn({ data, meta, replayed }: Success): PageAnswer<ChangesPage> {
  for (const list of ['added', 'removed', 'changed', 'descriptions']) {
    if (!Array.isArray(data[list])) throw unexpected(list);
  }
  assertPagination(data['pagination']);
  return { page: dataOf<ChangesPage>({ data } as Success, 'counts'), meta, replayed };
}

export function assertRefresh(value: unknown): asserts value is RefreshRecord {
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

export function unexpected(field: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`The response has no valid ${field}.`);
}

/** A reviver with the source text of numbers (ES2025); older type libraries lack it. */
type SourceReviver = (
  key: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown;
type ParseWithSource = (text: string, reviver: SourceReviver) => unknown;

const parseWithSource = JSON.parse as ParseWithSource;

/**
 * `data.total_amount` of a body with every digit. A safe integer is exact; beyond 2^53 the body is
 * parsed again for the source text of the number.
 */
export function exactTotalAmount(totalAmount: unknown, text: string): bigint | null {
  if (typeof totalAmount !== 'number') return null;
  if (Number.isSafeInteger(totalAmount)) return BigInt(totalAmount);
  const body = parseWithSource(text, (key, value, { source }) =>
    key === 'total_amount' && source !== undefined ? source : value,
  ) as { data: { total_amount: unknown } };
  const digits = body.data.total_amount;
  return typeof digits === 'string' && /^[0-9]+$/.test(digits) ? BigInt(digits) : null;
}
