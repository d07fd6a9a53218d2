export interface Viewport {
  readonly scrollTop: number;
  readonly height: number;
  readonly rowHeight: number;
  /** Items in one row. */
  readonly columns: number;
}

/** Rows above and below what is visible, so that a scroll shows no gap. */
const overscan = 4;

/** The items to render of a list that is taller than the viewport. */
export function visibleRows(count: number, { scrollTop, height, rowHeight, columns }: Viewport) {
  const rows = Math.ceil(count / columns);
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - overscan);
  const last = Math.min(rows, Math.ceil((scrollTop + height) / rowHeight) + overscan);
  return {
    from: Math.min(first * columns, count),
    to: Math.min(last * columns, count),
    offsetTop: first * rowHeight,
    heightTotal: rows * rowHeight,
  };
}
