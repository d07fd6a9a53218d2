import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { type PackedBytes, unpack } from '@inventory/runtime/packed-bytes';
import { joinLists, type PageLists } from '../domain/page-lists.ts';
import type { PageSurvey } from '../domain/page-survey.ts';
import type { ChunkStore, PackedLists, StagedChunk } from '../storage/chunk-store.ts';
import {
  listsOf,
  type PackedPage,
  readPackedPage,
  surveyPage,
  unpackLists,
  unpackPage,
  unpackVerified,
} from './read-staged-page.ts';

/** A text that is unpacked when it is read. */
interface UnpackedText {
  text(): Buffer;
  /** The text, and every part of it, is read no more. */
  free(): void;
}

/** The rows of a page. */
export interface StagedRows extends UnpackedText {
  /** Where the text begins in the page. */
  readonly from: number;
  /** Start and end of each row in the page. */
  readonly spans: Uint32Array;
  /** The rows, joined by commas, as they are stored; null where they are not stored by themselves. */
  readonly packed: PackedBytes | null;
}

export type PageRowLists = Readonly<Record<keyof PageLists, StagedRows>>;

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
  readPage(number: number): Promise<PageRowLists | null>;
}

/** Packed chunks of one scan; 250,000 assets take about 20 MiB, and most pages are written once. */
const rememberedBytesMax = 8 * 1024 * 1024;

export function openStagedPages(
  chunks: ChunkStore,
  scanId: string,
  pages: readonly ManifestPage[],
): StagedPages {
  const spans: Readonly<Record<keyof PageRowLists, Uint32Array>>[] = [];
  const remembered = new Map<number, PackedPage>();
  /** Read with its survey, and not verified yet. */
  let onlyPage: PackedPage | null = null;
  let bytes = 0;

  /** A page is verified before it is remembered, unless it is stored as lists: those have checksums. */
  async function read(number: number): Promise<PackedLists | Buffer | null> {
    const [page, known] = [pages[number], remembered.get(number)];
    const packed = known ?? onlyPage ?? (page ? await readPackedPage(chunks, scanId, page) : null);
    if (packed === null) return null;
    const found = listsOf(packed) ?? (known ? unpackPage(packed) : unpackVerified(packed));
    const size = packed.reduce((sum, chunk) => sum + packedSize(chunk), 0);
    if (found && !known && bytes + size <= rememberedBytesMax) {
      remembered.set(number, packed);
      bytes += size;
    }
    return found;
  }

  async function surveyNow(number: number): Promise<PageSurvey | null> {
    const found = await read(number);
    return found && surveyPage(Buffer.isBuffer(found) ? found : joinLists(unpackLists(found)));
  }

  /** One page is read once, to be compared and to be written: most scans have no other. */
  async function stagedSurveys(wanted: readonly ManifestPage[]): Promise<(PageSurvey | null)[]> {
    const [first] = wanted;
    if (!first) return [];
    if (pages.length > 1) return await chunks.readSurveys(scanId, wanted);
    const found = await chunks.readSingleChunk(scanId, first);
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
        spans[from + index] = {
          assets: Uint32Array.from(assets),
          descriptions: Uint32Array.from(descriptions),
        };
        surveys.push(found);
      }
      return surveys;
    },
    async readPage(number) {
      const [survey, found] = [spans[number], await read(number)];
      if (!survey || !found) return null;
      const list = (of: keyof PageRowLists): StagedRows => {
        const rows = survey[of];
        // Both lists are in one text.
        if (Buffer.isBuffer(found))
          return { from: 0, spans: rows, text: () => found, free() {}, packed: null };
        return { from: rows[0] ?? 0, spans: rows, ...unpacked(found[of]), packed: found[of] };
      };
      return { assets: list('assets'), descriptions: list('descriptions') };
    },
  };
}

function unpacked(packed: PackedBytes): UnpackedText {
  let raw: Buffer | null = null;
  return {
    text() {
      raw ??= unpack(packed);
      return raw;
    },
    free() {
      if (raw) freeBytes(raw);
      raw = null;
    },
  };
}

function packedSize({ content }: StagedChunk): number {
  return 'assets' in content
    ? content.assets.packed.length + content.descriptions.packed.length
    : content.packed.length;
}
