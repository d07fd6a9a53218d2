import { invariant } from '@inventory/runtime/bug';
import type { TextPlan } from '../domain/block-plan.ts';
import { type OpenTexts, openTexts, putText } from '../domain/joined-texts.ts';
import { missingSource, pageOf, rowOf } from '../domain/survey.ts';
import type { PageSpans, StagedPages } from './staged-pages.ts';

/** Texts that are stored together, of rows that lie anywhere among the pages of a scan. */
export interface WantedTexts {
  readonly of: keyof Omit<PageSpans, 'text'>;
  readonly texts: TextPlan;
}

/**
 * The texts of each part, joined, as they were staged. Reads each page that is needed once; null
 * when one is gone. A part whose texts follow each other on one page is that range of the page. Else
 * each row is copied to its place: no page stays in memory for a few of its rows.
 */
export async function gatherTexts(
  staged: StagedPages,
  wanted: readonly WantedTexts[],
  signal: AbortSignal,
): Promise<Buffer[] | null> {
  const parts = wanted.map(({ of, texts }) => {
    const rows = Array.from(texts.sources.keys());
    const present = rows.filter((row) => texts.sources[row] !== missingSource);
    const byPage = Map.groupBy(present, (row) => pageOf(texts.sources[row] ?? missingSource));
    const open: { bytes: Buffer | null; joined: OpenTexts | null } = { bytes: null, joined: null };
    return { of, texts, byPage, open };
  });
  const numbers = new Set(parts.flatMap(({ byPage }) => [...byPage.keys()]));
  for (const number of [...numbers].sort((left, right) => left - right)) {
    signal.throwIfAborted();
    const page = await staged.readPage(number);
    if (page === null) return null;
    for (const { of, texts, byPage, open } of parts) {
      const rows = byPage.get(number);
      if (!rows) continue;
      const range = byPage.size === 1 ? rangeOf(page.text, page[of], rows, texts) : null;
      if (range) open.bytes = range;
      else {
        open.joined ??= openTexts(texts.lengths);
        copyRows(open.joined, page.text, page[of], rows, texts);
      }
    }
  }
  return parts.map(({ open: { bytes, joined } }) => bytes ?? joined?.bytes ?? Buffer.alloc(0));
}

const comma = 0x2c;

/** The range of these rows where nothing but a comma is between each two; null elsewhere. */
function rangeOf(
  page: Buffer,
  spans: Uint32Array,
  rows: readonly number[],
  { sources, lengths }: TextPlan,
): Buffer | null {
  const first = spans[2 * rowOf(sources[rows[0] ?? 0] ?? 0)] ?? 0;
  let next = first;
  for (const [at, row] of rows.entries()) {
    const start = spans[2 * rowOf(sources[row] ?? 0)];
    if (start !== next || (at > 0 && page[start - 1] !== comma)) return null;
    next = start + (lengths[row] ?? 0) + 1;
  }
  return page.subarray(first, next - 1);
}

function copyRows(
  joined: OpenTexts,
  page: Buffer,
  spans: Uint32Array,
  rows: readonly number[],
  { sources, lengths }: TextPlan,
): void {
  for (const row of rows) {
    const at = 2 * rowOf(sources[row] ?? 0);
    const [start = 0, end = 0] = [spans[at], spans[at + 1]];
    invariant(end - start === lengths[row], 'a row is as long as it was surveyed');
    putText(joined, row, page, start);
  }
}
