import { pageRowsMax } from '@inventory/contracts/staged-rows';
import { locateRows, type PageRows, type TextSpan } from '../domain/page-text.ts';
import type { ManifestPage } from '../domain/scan.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import {
  type PackedPage,
  PagesInvalid,
  readPackedPage,
  unpackAgain,
  unpackVerified,
} from './read-staged-page.ts';

/** The text of a page, and where its rows lie: start and end of each, one after another. */
export interface PageSpans {
  readonly text: Buffer;
  readonly assets: Uint32Array;
  readonly descriptions: Uint32Array;
}

/** The pages of one scan, read to compare it with the head and again to write it. */
export interface StagedPages {
  readonly count: number;
  /** The page and its rows. Null while it is missing; {@link PagesInvalid} when it is no page. */
  readFirst(number: number): Promise<{ readonly text: Buffer; readonly rows: PageRows } | null>;
  /**
   * A page that was read before: unpacked again, but neither read from the store, verified nor parsed
   * again, as far as memory reaches. Null when it is gone.
   */
  readAgain(number: number): Promise<PageSpans | null>;
}

interface RememberedPage extends Omit<PageSpans, 'text'> {
  readonly packed: PackedPage;
}

/** Packed chunks of one scan and the places of its rows; 250,000 assets take about 25 MiB. */
const rememberedBytesMax = 32 * 1024 * 1024;

export function openStagedPages(
  chunks: Pick<ChunkStore, 'readChunks'>,
  scanId: string,
  pages: readonly ManifestPage[],
): StagedPages {
  const remembered = new Map<number, RememberedPage>();
  let bytes = 0;

  async function read(number: number) {
    const manifestPage = pages[number];
    const packed = manifestPage && (await readPackedPage(chunks, scanId, manifestPage));
    const text = packed && unpackVerified(packed);
    if (!packed || !text) return null;
    const rows = locateRows(text);
    if (rows === null) throw new PagesInvalid('a page is not an object with two lists');
    if (Math.max(rows.assets.length, rows.descriptions.length) > pageRowsMax) {
      throw new PagesInvalid('a page has too many rows');
    }
    const [assets, descriptions] = [spansOf(rows.assets), spansOf(rows.descriptions)];
    return { text, rows, page: { packed, assets, descriptions } };
  }

  return {
    count: pages.length,
    async readFirst(number) {
      const found = await read(number);
      if (found === null) return null;
      const size = bytesOf(found.page);
      if (bytes + size <= rememberedBytesMax) {
        remembered.set(number, found.page);
        bytes += size;
      }
      return found;
    },
    async readAgain(number) {
      const known = remembered.get(number);
      if (known) return { ...known, text: unpackAgain(known.packed) };
      const found = await read(number);
      return found && { ...found.page, text: found.text };
    },
  };
}

function spansOf(rows: readonly TextSpan[]): Uint32Array {
  const spans = new Uint32Array(2 * rows.length);
  for (const [row, { start, end }] of rows.entries()) {
    spans[2 * row] = start;
    spans[2 * row + 1] = end;
  }
  return spans;
}

function bytesOf({ packed, assets, descriptions }: RememberedPage): number {
  const chunks = packed.reduce((sum, chunk) => sum + chunk.packed.length, 0);
  return chunks + assets.byteLength + descriptions.byteLength;
}
