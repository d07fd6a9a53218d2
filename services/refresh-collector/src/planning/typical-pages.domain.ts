export type TypicalPages = ReturnType<typeof createTypicalPages>;

const sizesMax = 50;
/** Of the largest refresh that a reservation pays for; a total that is reported may be absurd. */
const pagesMax = 125;

/** Expected pages of an inventory without a recorded size: the mean of recent scans. */
export function createTypicalPages(first: number) {
  let sizes: readonly number[] = [];
  return {
    add(pages: number): void {
      sizes = [...sizes, Math.min(pagesMax, pages)].slice(-sizesMax);
    },
    get pages(): number {
      if (sizes.length === 0) return first;
      return Math.ceil(sizes.reduce((sum, pages) => sum + pages, 0) / sizes.length);
    },
  };
}
