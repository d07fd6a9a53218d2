import { invariant } from '@inventory/runtime/bug';
import type { PackedBytes } from '@inventory/runtime/packed-bytes';
import type { TextPlan } from '../domain/block-plan.ts';
import { type OpenTexts, openTexts, putText } from '../domain/joined-texts.ts';
import { missingSource, pageOf, rowNumberOf } from '../domain/survey.ts';
import type { PageRowLists, StagedPages, StagedRows } from './staged-pages.ts';

/** Texts that are stored together, of rows that lie anywhere among the pages of a scan. */
export interface WantedTexts {
  readonly of: keyof PageRowLists;
  readonly texts: TextPlan;
}

/**
 * The texts of each part, joined, as they were staged. Reads each page that is needed once; null
 * when one is gone. A part that is a whole list of a page stays packed as that was staged; one whose
 * texts follow each other on one page is that range of the page. Else each row is copied to its
 * offset: no page stays in memory for a few of its rows.
 */
export async function collectTexts(
  staged: StagedPages,
  wanted: readonly WantedTexts[],
  signal: AbortSignal,
): Promise<(Buffer | PackedBytes)[] | null> {
  const parts = wanted.map(({ of, texts }) => {
    const rows = Array.from(texts.sources.keys());
    const present = rows.filter((row) => texts.sources[row] !== missingSource);
    const byPage = Map.groupBy(present, (row) => pageOf(texts.sources[row] ?? missingSource));
    const open: OpenPart = { bytes: null, joined: null };
    return { of, texts, byPage, open };
  });
  const numbers = new Set(parts.flatMap(({ byPage }) => [...byPage.keys()]));
  for (const number of [...numbers].sort((left, right) => left - right)) {
    signal.throwIfAborted();
    const page = await staged.readPage(number);
    if (page === null) return null;
    const ranged = new Set<keyof PageRowLists>();
    for (const { of, texts, byPage, open } of parts) {
      const rows = byPage.get(number);
      if (!rows) continue;
      const packed = byPage.size === 1 ? packedOf(page[of], rows, texts) : null;
      const range = byPage.size === 1 && !packed ? rangeOf(page[of], rows, texts) : null;
      open.bytes = packed ?? range;
      if (range) ranged.add(of);
      if (open.bytes) continue;
      open.joined ??= openTexts(texts.lengths);
      copyRows(open.joined, page[of], rows, texts);
    }
    for (const list of lists) if (!ranged.has(list)) page[list].free();
  }
  return parts.map(({ open: { bytes, joined } }) => bytes ?? joined?.bytes ?? Buffer.alloc(0));
}

const lists = ['assets', 'descriptions'] as const;

interface OpenPart {
  bytes: Buffer | PackedBytes | null;
  joined: OpenTexts | null;
}

/** The packed list that has these rows, all of them and in their order; null elsewhere. */
function packedOf(
  { spans, packed }: StagedRows,
  rows: readonly number[],
  { sources }: TextPlan,
): PackedBytes | null {
  if (packed === null || 2 * rows.length !== spans.length) return null;
  return rows.every((row, at) => rowNumberOf(sources[row] ?? 0) === at) ? packed : null;
}

const comma = 0x2c;

/** The range of these rows where nothing but a comma is between each two; null elsewhere. */
function rangeOf(
  { from, spans, text }: StagedRows,
  rows: readonly number[],
  { sources, lengths }: TextPlan,
): Buffer | null {
  const page = text();
  const first = spans[2 * rowNumberOf(sources[rows[0] ?? 0] ?? 0)] ?? 0;
  let next = first;
  for (const [at, row] of rows.entries()) {
    const start = spans[2 * rowNumberOf(sources[row] ?? 0)];
    if (start !== next || (at > 0 && page[start - from - 1] !== comma)) return null;
    next = start + (lengths[row] ?? 0) + 1;
  }
  return page.subarray(first - from, next - from - 1);
}

function copyRows(
  joined: OpenTexts,
  { from, spans, text }: StagedRows,
  rows: readonly number[],
  { sources, lengths }: TextPlan,
): void {
  const page = text();
  for (const row of rows) {
    const at = 2 * rowNumberOf(sources[row] ?? 0);
    const [start = 0, end = 0] = [spans[at], spans[at + 1]];
    invariant(end - start === lengths[row], 'a row is as long as it was surveyed');
    invariant(putText(joined, row, page, start - from), 'a text of a page is whole');
  }
}
