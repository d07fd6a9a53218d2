import { locateRows, type TextSpan } from '../domain/page-text.ts';
import type { ManifestPage } from '../domain/scan.ts';
import { type RowSource, rowOf, sourcesByPage } from '../domain/survey.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { readStagedPage } from './read-staged-page.ts';

export interface StagedPages {
  readonly chunks: Pick<ChunkStore, 'readChunks'>;
  readonly scanId: string;
  readonly pages: readonly ManifestPage[];
}

export interface GatheredTexts {
  readonly assets: ReadonlyMap<RowSource, Buffer>;
  readonly descriptions: ReadonlyMap<RowSource, Buffer>;
}

/**
 * The texts of rows that lie anywhere among the pages of a surveyed scan, as they were staged.
 * Reads each page that is needed once; null when one is gone.
 */
export async function gatherTexts(
  staged: StagedPages,
  wanted: { readonly assets: readonly RowSource[]; readonly descriptions: readonly RowSource[] },
  signal: AbortSignal,
): Promise<GatheredTexts | null> {
  const texts = {
    assets: new Map<RowSource, Buffer>(),
    descriptions: new Map<RowSource, Buffer>(),
  };
  const assetsOn = sourcesByPage(wanted.assets);
  const descriptionsOn = sourcesByPage(wanted.descriptions);
  const numbers = new Set([...assetsOn.keys(), ...descriptionsOn.keys()]);
  for (const number of [...numbers].sort((left, right) => left - right)) {
    signal.throwIfAborted();
    const manifestPage = staged.pages[number];
    const page = manifestPage && (await readStagedPage(staged.chunks, staged.scanId, manifestPage));
    const rows = page && locateRows(page);
    if (!page || !rows) return null;
    copyRows(texts.assets, page, rows.assets, assetsOn.get(number));
    copyRows(texts.descriptions, page, rows.descriptions, descriptionsOn.get(number));
  }
  return texts;
}

/** Copies, so that a few rows do not keep their whole page in memory. */
function copyRows(
  texts: Map<RowSource, Buffer>,
  page: Buffer,
  rows: readonly TextSpan[],
  sources: readonly RowSource[] = [],
): void {
  for (const source of sources) {
    const span = rows[rowOf(source)];
    if (span) texts.set(source, Buffer.from(page.subarray(span.start, span.end)));
  }
}
