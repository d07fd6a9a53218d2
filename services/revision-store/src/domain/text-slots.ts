import { pageOf, type RowSource, rowOf } from './survey.ts';

/** One text to fetch from a page, and where it is put. */
export interface TextSlot {
  readonly row: number;
  readonly slot: number;
}

/**
 * Which rows of which pages fill the slots: the texts of several blocks are fetched by reading
 * each staged page at most once, however they are scattered. Missing texts have no slot to fill.
 */
export function slotsByPage(sources: readonly RowSource[]): ReadonlyMap<number, TextSlot[]> {
  const pages = new Map<number, TextSlot[]>();
  for (const [slot, source] of sources.entries()) {
    if (source < 0) continue;
    const slots = pages.get(pageOf(source)) ?? [];
    slots.push({ row: rowOf(source), slot });
    pages.set(pageOf(source), slots);
  }
  return pages;
}
