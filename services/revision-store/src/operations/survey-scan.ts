import { type StagedPage, stagedPage } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '../domain/scan.ts';
import { addPage, openSurvey, type Survey } from '../domain/survey.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { readStagedPage } from './read-staged-page.ts';
import { sha256Text } from './sha256.ts';

export type SurveyResult =
  | { readonly found: 'all'; readonly survey: Survey }
  | { readonly found: 'missing' }
  | { readonly found: 'invalid' };

/**
 * Reads every page of a scan once, verifies it and notes what it holds. One page is in memory at a
 * time; other work of the process gets its turn between two.
 */
export async function surveyScan(
  chunks: Pick<ChunkStore, 'read'>,
  scanId: string,
  pages: readonly ManifestPage[],
  signal: AbortSignal,
): Promise<SurveyResult> {
  const survey = openSurvey();
  for (const manifestPage of pages) {
    signal.throwIfAborted();
    const staged = await readStagedPage(chunks, scanId, manifestPage);
    if (staged.found !== 'text') return staged;
    const page = parsePage(staged.text);
    if (page === null) return { found: 'invalid' };
    addPage(survey, {
      assets: page.assets,
      descriptions: page.descriptions.map((description) => ({
        classid: description.classid,
        instanceid: description.instanceid,
        textDigest: sha256Text(JSON.stringify(description)),
      })),
    });
  }
  return { found: 'all', survey };
}

/** What the text says, if it keeps the contract; the parsed value itself, with every field. */
function parsePage(text: string): StagedPage | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  return stagedPage.safeParse(parsed).success ? (parsed as StagedPage) : null;
}
