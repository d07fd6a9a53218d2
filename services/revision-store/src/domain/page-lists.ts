import type { PageSurvey } from './page-survey.ts';

/** The rows of each list of a page, joined by commas. */
export interface PageLists {
  readonly assets: Buffer;
  readonly descriptions: Buffer;
}

const [open, between, close] = ['{"assets":[', '],"descriptions":[', ']}'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer];
const comma = 0x2c;

/**
 * The lists of a page that has nothing beside them, `{"assets":[…],"descriptions":[…]}`, and nothing
 * but commas between rows, as the collector writes pages. Null for any other.
 */
export function cutLists(text: Buffer, { assets, descriptions }: PageSurvey): PageLists | null {
  const assetsEnd = endOfRows(text, assets, open.length);
  const start = assetsEnd + between.length;
  const end = endOfRows(text, descriptions, start);
  const isWhole =
    text.subarray(0, open.length).equals(open) &&
    text.subarray(assetsEnd, start).equals(between) &&
    text.subarray(end).equals(close);
  return isWhole && assetsEnd > 0 && end > 0
    ? { assets: text.subarray(open.length, assetsEnd), descriptions: text.subarray(start, end) }
    : null;
}

/** The text of the page that has these lists. */
export function joinLists({ assets, descriptions }: PageLists): Buffer {
  return Buffer.concat([open, assets, between, descriptions, close]);
}

/** Where rows end that begin at `start`, one after the other; -1 where something else is between two. */
function endOfRows(text: Buffer, spans: readonly number[], start: number): number {
  let next = start;
  for (let at = 0; at < spans.length; at += 2) {
    if (spans[at] !== next || (at > 0 && text[next - 1] !== comma)) return -1;
    next = (spans[at + 1] ?? 0) + 1;
  }
  return spans.length === 0 ? start : next - 1;
}
