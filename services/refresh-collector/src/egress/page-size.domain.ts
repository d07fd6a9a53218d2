/** Limits for the number of assets requested per page. */
export interface PageSizeRules {
  readonly count: number;
  /** Requested once the platform refuses `count`. */
  readonly smallerCount: number;
}

/** How many assets the next page is requested with; carried from page to page of a scan. */
export interface PageSize {
  readonly count: number;
  /** Good pages since the size was reduced. */
  readonly goodPages: number;
  /** Good pages before the next increase; doubles with each reduction. */
  readonly growAfterPages: number;
}

/** Doubled by the first reduction already. */
const growAfterFirst = 2;

export function fullPageSize(count: number): PageSize {
  return { count, goodPages: 0, growAfterPages: growAfterFirst };
}

/** After a 400: the smaller count; null when it is in use already. */
export function afterCountRefused(
  size: PageSize,
  { smallerCount }: PageSizeRules,
): PageSize | null {
  return size.count > smallerCount ? reducedTo(size, smallerCount) : null;
}

/** After a response above the byte limit: half of it; null when one asset is too large. */
export function afterTooLarge(size: PageSize): PageSize | null {
  return size.count > 1 ? reducedTo(size, Math.floor(size.count / 2)) : null;
}

/**
 * After a good page. A reduced size doubles again after some good pages: one page of heavy
 * descriptions must not make the remainder of the inventory cost twice as many requests. Where each
 * increase is refused the pauses double, so that 250 pages waste at most six requests.
 */
export function afterGoodPage(size: PageSize, { count }: PageSizeRules): PageSize {
  if (size.count >= count) return size;
  const goodPages = size.goodPages + 1;
  if (goodPages < size.growAfterPages) return { ...size, goodPages };
  return { ...size, goodPages: 0, count: Math.min(count, size.count * 2) };
}

function reducedTo({ growAfterPages }: PageSize, count: number): PageSize {
  return { count, goodPages: 0, growAfterPages: growAfterPages * 2 };
}
