import { UnexpectedAnswerError } from './errors.ts';
import type { Asset, DescribedAsset, Description, PageAnswer, Pagination } from './records.ts';

interface Paged {
  readonly pagination: Pagination;
}

interface Itemized extends Paged {
  readonly assets: readonly Asset[];
  readonly descriptions: readonly Description[];
}

/**
 * Iterates over pages, each read only when the loop requests it: leaving the loop ends the cost.
 * `start` continues after a page that was read before.
 */
export async function* walkPages<Answer>(
  read: (cursor: string | null) => Promise<Answer>,
  paginationOf: (answer: Answer) => Pagination,
  start: string | null,
): AsyncGenerator<Answer, void, void> {
  for (let cursor = start; ; ) {
    const answer = await read(cursor);
    yield answer;
    const { has_more, next_cursor: next = null } = paginationOf(answer);
    if (!has_more) return;
    if (next === null || next === cursor) {
      throw new UnexpectedAnswerError('There is another page without a cursor to it.');
    }
    cursor = next;
  }
}

/** The items of lists, page after page. */
export async function* walkItems<Item>(
  read: (cursor: string | null) => Promise<Paged & { readonly items: readonly Item[] }>,
  start: string | null | undefined,
): AsyncGenerator<Item, void, void> {
  const pages = walkPages(read, ({ pagination }) => pagination, start ?? null);
  for await (const { items } of pages) yield* items;
}

/** Each asset with its description, joined within its page. */
export async function* walkAssets(
  pages: AsyncIterable<PageAnswer<Itemized>>,
): AsyncGenerator<DescribedAsset, void, void> {
  for await (const { page } of pages) {
    const descriptions = new Map(page.descriptions.map((one) => [joinKey(one), one]));
    for (const asset of page.assets) {
      yield { asset, description: descriptions.get(joinKey(asset)) ?? null };
    }
  }
}

function joinKey(of: { readonly classid: string; readonly instanceid: string }): string {
  return `${of.classid}_${of.instanceid}`;
}
