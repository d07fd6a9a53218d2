import type { ManifestPage } from '../domain/scan.ts';
import { addPage, openSurvey, type Survey } from '../domain/survey.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { readRows } from './read-rows.ts';
import { readStagedPage } from './read-staged-page.ts';

/**
 * Reads every page of a scan once, verifies it and notes what it holds; null while pages are
 * missing. One unpacked page is in memory at a time, and other work of the process gets its turn between
 * two.
 */
export async function surveyScan(
  chunks: Pick<ChunkStore, 'readChunks'>,
  scanId: string,
  pages: readonly ManifestPage[],
  signal: AbortSignal,
): Promise<Survey | null> {
  const survey = openSurvey();
  for (const manifestPage of pages) {
    signal.throwIfAborted();
    const text = await readStagedPage(chunks, scanId, manifestPage);
    if (text === null) return null;
    addPage(survey, readRows(text));
  }
  return survey;
}
