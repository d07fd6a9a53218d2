import { z } from 'zod';

/** What is known of the size of an inventory while it is scanned. */
export const scanSize = z.object({
  pages: z.int(),
  /**
   * Assets that these pages cover, hidden ones included: what a page was requested with, or fewer
   * where the platform gives fewer.
   */
  assetsRead: z.int(),
  reportedTotalCount: z.int().nullable(),
});
export type ScanSize = Readonly<z.infer<typeof scanSize>>;

/** What the last scan of an inventory reported. */
export interface InventorySize {
  readonly pages: number;
  /** When a scan of it began last. */
  readonly scannedMs: number;
}

/** More than a scan reads: a larger size is bounded, as the reported total may be absurd. */
const reportedPagesMax = 300;

/**
 * Pages of the inventory, read ones included; null until the first is read. The others are expected
 * in pages as large as those before: on some days the platform gives fewer assets a page than the
 * settings request.
 */
export function reportedPages(
  { pages, assetsRead, reportedTotalCount }: ScanSize,
  assetsPerPage: number,
): number | null {
  if (reportedTotalCount === null) return null;
  const isUnread = pages === 0 || assetsRead === 0;
  const assetsLeft = Math.max(0, reportedTotalCount - assetsRead);
  const reported = isUnread
    ? pagesOf(reportedTotalCount, assetsPerPage)
    : pages + Math.ceil((assetsLeft * pages) / assetsRead);
  return Math.min(reportedPagesMax, reported);
}

/** Pages of a running scan that are not read: at least one, whatever was reported. */
export function pagesLeft(size: ScanSize, assetsPerPage: number): number | null {
  const reported = reportedPages(size, assetsPerPage);
  return reported === null ? null : Math.max(1, reported - size.pages);
}

/** The same of any refresh: as reported, else as expected, else the typical size. */
export function expectedPagesLeft(
  {
    scan,
    expectedPages,
  }: { readonly scan: ScanSize | null; readonly expectedPages: number | null },
  assetsPerPage: number,
  typicalPages: number,
): number {
  return (scan && pagesLeft(scan, assetsPerPage)) ?? expectedPages ?? typicalPages;
}

function pagesOf(totalCount: number, assetsPerPage: number): number {
  return Math.max(1, Math.ceil(totalCount / assetsPerPage));
}

/** The assets of a page, each by a number of 53 bits. */
export type PageKeys = Float64Array<ArrayBuffer>;

/** A recorded page: its position, and what the page after it is requested by and compared with. */
export interface RecordedPage {
  readonly index: number;
  readonly nextCursor: string | null;
  /** Absent for the last page, and for one that a version without them recorded. */
  readonly assetKeys?: PageKeys;
}

/** A last page without assets is accepted only after the page before it was read again. */
export const endCheck = z.object({
  /** The cursor after which nothing was left; null unless the page before it is read again. */
  cursor: z.string().nullable(),
  /** Checks of this scan, by all its workers. */
  attempts: z.int(),
});
export type EndCheck = Readonly<z.infer<typeof endCheck>>;

export const noEndCheck: EndCheck = { cursor: null, attempts: 0 };

/** The pages that make up the inventory: a page that was read again replaces the pages from its position on. */
export function pagesInOrder<Page extends RecordedPage>(recorded: readonly Page[]): Page[] {
  return recorded.reduce<Page[]>((pages, page) => [...pages.slice(0, page.index), page], []);
}
