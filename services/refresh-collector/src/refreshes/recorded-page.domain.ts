/** A recorded page: its position, and the cursor of the page after it. */
export interface RecordedPage {
  readonly place: number;
  readonly nextCursor: string | null;
}

/** The pages that make up the inventory: a page that was read again replaces the pages from its position on. */
export function pagesInPlace<Page extends RecordedPage>(recorded: readonly Page[]): Page[] {
  return recorded.reduce<Page[]>((pages, page) => [...pages.slice(0, page.place), page], []);
}
