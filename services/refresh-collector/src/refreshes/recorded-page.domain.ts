/** A recorded page: its position, and the cursor of the page after it. */
export interface RecordedPage {
  readonly place: number;
  readonly nextCursor: string | null;
}

/** A last page without assets is accepted only after the page before it was read again. */
export interface EndCheck {
  /** The cursor behind which nothing was left; null unless the page before it is being read again. */
  readonly cursor: string | null;
  /** Checks of this scan, by all its workers. */
  readonly attempts: number;
}

export const noEndCheck: EndCheck = { cursor: null, attempts: 0 };

/** The pages that make up the inventory: a page that was read again replaces the pages from its position on. */
export function pagesInPlace<Page extends RecordedPage>(recorded: readonly Page[]): Page[] {
  return recorded.reduce<Page[]>((pages, page) => [...pages.slice(0, page.place), page], []);
}
