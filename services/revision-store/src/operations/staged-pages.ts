import type { PageSurvey } from '../domain/page-survey.ts';
import type { ManifestPage } from '../domain/scan.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { type PackedPage, readPackedPage, unpackPage, unpackVerified } from './read-staged-page.ts';
import { surveyPage } from './survey-page.ts';

/** The text of a page, and where its rows lie. */
export interface PageSpans extends Pick<PageSurvey, 'assets' | 'descriptions'> {
  readonly text: Buffer;
}

/** The pages of one scan: surveyed to compare it with the head, and read to write it. */
export interface StagedPages {
  readonly count: number;
  /**
   * The surveys of some pages, made when they were staged, or now where they were not. Null while
   * one of the pages is missing; PagesInvalid when one is no page.
   */
  readSurveys(from: number, to: number): Promise<readonly PageSurvey[] | null>;
  /**
   * A page that was surveyed: read from the store once, as far as memory reaches, and unpacked each
   * time. Null when it is gone.
   */
  readPage(number: number): Promise<PageSpans | null>;
}

/** Packed chunks of one scan; 250,000 assets take about 20 MiB. */
const rememberedBytesMax = 16 * 1024 * 1024;

export function openStagedPages(
  chunks: Pick<ChunkStore, 'readChunks' | 'readSurveys' | 'readSurveyed'>,
  scanId: string,
  pages: readonly ManifestPage[],
): StagedPages {
  const spans: Omit<PageSpans, 'text'>[] = [];
  const remembered = new Map<number, PackedPage>();
  /** Read with its survey, and not verified yet. */
  let onlyPage: PackedPage | null = null;
  let bytes = 0;

  async function readText(number: number): Promise<Buffer | null> {
    const [page, known] = [pages[number], remembered.get(number)];
    if (known) return unpackPage(known);
    const packed = onlyPage ?? (page ? await readPackedPage(chunks, scanId, page) : null);
    const text = packed && unpackVerified(packed);
    const size = packed?.reduce((sum, chunk) => sum + chunk.packed.length, 0) ?? 0;
    if (text && bytes + size <= rememberedBytesMax) {
      remembered.set(number, packed);
      bytes += size;
    }
    return text;
  }

  async function surveyNow(number: number): Promise<PageSurvey | null> {
    const text = await readText(number);
    return text && surveyPage(text);
  }

  /** One page is read once, to be compared and to be written: most scans have no other. */
  async function stagedSurveys(wanted: readonly ManifestPage[]): Promise<(PageSurvey | null)[]> {
    const [first] = wanted;
    if (!first) return [];
    if (pages.length > 1) return await chunks.readSurveys(scanId, wanted);
    const found = await chunks.readSurveyed(scanId, first);
    onlyPage = found && [found.chunk];
    return [found?.survey ?? null];
  }

  return {
    count: pages.length,
    async readSurveys(from, to) {
      const staged = await stagedSurveys(pages.slice(from, to));
      const surveys: PageSurvey[] = [];
      for (const [index, known] of staged.entries()) {
        const found = known ?? (await surveyNow(from + index));
        if (found === null) return null;
        const { assets, descriptions } = found;
        spans[from + index] = { assets, descriptions };
        surveys.push(found);
      }
      return surveys;
    },
    async readPage(number) {
      const [place, text] = [spans[number], await readText(number)];
      return place && text ? { ...place, text } : null;
    },
  };
}
