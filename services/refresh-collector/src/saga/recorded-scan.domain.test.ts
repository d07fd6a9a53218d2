import fc from 'fast-check';
import { pagesLeft, reportedPages } from './recorded-scan.domain.ts';

const assetsPerPage = 2_000;
const sizes = fc.record({
  pages: fc.integer({ min: 1, max: 250 }),
  inUse: fc.integer({ min: 1, max: 2_500 }),
  totalPages: fc.integer({ min: 1, max: 300 }),
});

describe('the pages of a running scan that are left (Refresh: Deadlines)', () => {
  it.each([
    { read: '125 of 250, of 1,000', pages: 125, assetsRead: 125_000, left: 125 },
    { read: '1 of 125, of 2,000', pages: 1, assetsRead: 2_000, left: 124 },
    { read: '124 of 125, of 2,000', pages: 124, assetsRead: 248_000, left: 1 },
    { read: 'more than reported', pages: 130, assetsRead: 260_000, left: 1 },
    { read: '2 of 2,000, then 2 of 1,000', pages: 4, assetsRead: 6_000, left: 163 },
  ])('are counted in the size that the platform gives: $read', ({ pages, assetsRead, left }) => {
    expect(pagesLeft({ pages, assetsRead, reportedTotalCount: 250_000 }, assetsPerPage)).toBe(left);
  });

  it('are exact whatever the size, and with those read all of the inventory', () => {
    fc.assert(
      fc.property(sizes, ({ pages, inUse, totalPages }) => {
        const size = { pages, assetsRead: pages * inUse, reportedTotalCount: totalPages * inUse };
        expect(reportedPages(size, assetsPerPage)).toBe(Math.max(pages, totalPages));
        expect(pagesLeft(size, assetsPerPage)).toBe(Math.max(1, totalPages - pages));
      }),
    );
  });

  it.each([1, 2])(
    'are those of a scan and not many more, however absurd a total is (%i read)',
    (pages) => {
      const size = { pages, assetsRead: pages, reportedTotalCount: Number.MAX_SAFE_INTEGER };

      expect(reportedPages(size, assetsPerPage)).toBe(300);
      expect(reportedPages({ ...size, assetsRead: 0 }, assetsPerPage)).toBe(300);
    },
  );

  it('are unknown before the first page', () => {
    const unread = { pages: 0, assetsRead: 0, reportedTotalCount: null };
    expect(pagesLeft(unread, assetsPerPage)).toBeNull();
  });
});
