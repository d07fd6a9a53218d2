/** Expected pages of an inventory without a recorded size: the mean of recent scans. */
export interface TypicalPages {
  add(pages: number): void;
  readonly pages: number;
}

const sizesMax = 50;

export function createTypicalPages(first: number): TypicalPages {
  let sizes: readonly number[] = [];
  return {
    add(pages) {
      sizes = [...sizes, pages].slice(-sizesMax);
    },
    get pages() {
      if (sizes.length === 0) return first;
      return Math.ceil(sizes.reduce((sum, pages) => sum + pages, 0) / sizes.length);
    },
  };
}
