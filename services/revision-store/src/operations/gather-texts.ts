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
 * when one is gone. Each row is copied to its place: no page stays in memory for a few of its rows.
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
    return { of, texts, byPage, joined: openTexts(texts.lengths) };
  });
  const numbers = new Set(parts.flatMap(({ byPage }) => [...byPage.keys()]));
  for (const number of [...numbers].sort((left, right) => left - right)) {
    signal.throwIfAborted();
    const page = await staged.readPage(number);
    if (page === null) return null;
    for (const { of, texts, byPage, joined } of parts) {
      copyRows(joined, page.text, page[of], byPage.get(number) ?? [], texts);
    }
  }
  return parts.map(({ joined }) => joined.bytes);
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
