import { stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { unpack } from '@inventory/runtime/packed-bytes';
import { joinLists, type PageLists } from '../domain/page-lists.ts';
import { sha256Hex } from '../domain/sha256.ts';
import type { ChunkStore, PackedLists, StagedChunk } from '../storage/chunk-store.ts';

/** Staged pages that no try can assemble into a revision. */
export class PagesInvalid extends Error {
  override name = 'PagesInvalid';
}

/** The chunks of a page, packed as they are stored. */
export type PackedPage = readonly StagedChunk[];

/**
 * The chunks of one page of a manifest: exactly those it names, none other. Null when one of them is
 * not there; {@link PagesInvalid} when they cannot be a page.
 */
export async function readPackedPage(
  chunks: ChunkStore,
  scanId: string,
  { page, epoch, chunks: named }: ManifestPage,
): Promise<PackedPage | null> {
  const bytes = named.reduce((sum, chunk) => sum + chunk.bytes, 0);
  if (bytes > stagedPageBytesMax) throw new PagesInvalid('a page is too large');
  const staged = await chunks.readChunks(named.map((_, chunk) => ({ scanId, epoch, page, chunk })));
  const found = named.flatMap(({ digest }, index) => {
    const chunk = staged[index];
    return chunk?.digest === digest ? chunk : [];
  });
  return found.length === named.length ? found : null;
}

/** The lists of a page that is stored as them; null for any other. */
export function listsOf([first]: PackedPage): PackedLists | null {
  return first && 'assets' in first.content ? first.content : null;
}

export function unpackLists({ assets, descriptions }: PackedLists): PageLists {
  return { assets: unpack(assets), descriptions: unpack(descriptions) };
}

/** The text of a page. Null when a chunk is not what its digest names. */
export function unpackVerified(page: PackedPage): Buffer | null {
  const contents = page.map(contentOf);
  const isOther = (content: Buffer, index: number) => sha256Hex(content) !== page[index]?.digest;
  return contents.some(isOther) ? null : joined(contents);
}

/** The text of a page that was verified before. */
export function unpackPage(page: PackedPage): Buffer {
  return joined(page.map(contentOf));
}

function contentOf({ content }: StagedChunk): Buffer {
  return 'assets' in content ? joinLists(unpackLists(content)) : unpack(content);
}

function joined(contents: readonly Buffer[]): Buffer {
  const [only] = contents;
  return only && contents.length === 1 ? only : Buffer.concat(contents);
}
