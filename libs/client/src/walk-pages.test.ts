import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { UnexpectedAnswerError } from './errors.ts';
import { walkPages } from './walk-pages.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

type Page = { items: number[]; pagination: { has_more: boolean; next_cursor?: string | null } };

/** A list cut into pages of these sizes; a cursor is the number of the page it leads to. */
function paged(sizes: readonly number[], last: 'null' | 'absent') {
  let next = 0;
  const pages = sizes.map((size, number): Page => {
    const items = Array.from({ length: size }, () => next++);
    if (number < sizes.length - 1) {
      return { items, pagination: { has_more: true, next_cursor: String(number + 1) } };
    }
    const end = last === 'null' ? { next_cursor: null } : {};
    return { items, pagination: { has_more: false, ...end } };
  });
  const requested: (string | null)[] = [];
  const read = async (cursor: string | null) => {
    requested.push(cursor);
    return pages[Number(cursor ?? 0)] as Page;
  };
  return { read, requested, total: next };
}

async function itemsOf(pages: AsyncIterable<Page>): Promise<number[]> {
  const items: number[] = [];
  for await (const page of pages) items.push(...page.items);
  return items;
}

const sizes = fc.array(fc.nat(5), { minLength: 1, maxLength: 20 });

const everyItemOnce = (walk: typeof walkPages) =>
  fc.asyncProperty(sizes, fc.constantFrom('null', 'absent'), async (cut, last) => {
    const { read, requested, total } = paged(cut, last);
    const items = await itemsOf(walk(read, ({ pagination }) => pagination, null));
    const isWhole = items.length === total && items.every((item, index) => item === index);
    return isWhole && requested.length === cut.length;
  });

test('an iteration yields every item once and in order, for any page sizes', async () => {
  await fc.assert(everyItemOnce(walkPages), { numRuns: propertyRuns(300) });
});

test('the property fails when an iteration ends at an empty page', async () => {
  const endsEarly: typeof walkPages = async function* (read, paginationOf, start) {
    for await (const page of walkPages(read, paginationOf, start)) {
      yield page;
      if ((page as unknown as Page).items.length === 0) return;
    }
  };

  expect((await fc.check(everyItemOnce(endsEarly), faultRuns)).failed).toBe(true);
});

test('an iteration continued at a next cursor yields the remainder', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (cut, from) => {
      const whole = paged(cut, 'null');
      const start = from % cut.length;
      const skipped = cut.slice(0, start).reduce((sum, size) => sum + size, 0);

      const items = await itemsOf(
        walkPages(whole.read, ({ pagination }) => pagination, String(start)),
      );

      expect(items).toEqual(
        Array.from({ length: whole.total - skipped }, (_none, item) => skipped + item),
      );
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('leaving the loop reads no further page', async () => {
  const { read, requested } = paged([1, 1, 1], 'null');

  for await (const page of walkPages(read, ({ pagination }) => pagination, null)) {
    if (page.items.includes(1)) break;
  }

  expect(requested).toEqual([null, '1']);
});

test.each([[undefined], [null], ['same']])(
  'another page with the cursor %s is an error, not an endless walk',
  async (next_cursor) => {
    const page: Page = {
      items: [],
      pagination: { has_more: true, ...(next_cursor === undefined ? {} : { next_cursor }) },
    };
    const walk = walkPages(
      async () => page,
      ({ pagination }) => pagination,
      'same',
    );

    await expect(itemsOf(walk)).rejects.toThrow(UnexpectedAnswerError);
  },
);
