import { isUtf8 } from 'node:buffer';
import { stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '../domain/scan.ts';
import type { ChunkPlace, ChunkStore, StagedChunk } from '../storage/chunk-store.ts';
import { sha256Hex } from './sha256.ts';

/** Staged pages that no try can assemble into a revision. */
export class PagesInvalid extends Error {
  override name = 'PagesInvalid';
}

type Reading = Pick<ChunkStore, 'readChunks'>;

/**
 * The text of one page of a manifest, in UTF-8: exactly the chunks it names, none other. Null when
 * one of them is not there; {@link PagesInvalid} when they cannot be a page.
 */
export async function readStagedPage(
  chunks: Reading,
  scanId: string,
  { page, epoch, chunks: named }: ManifestPage,
): Promise<Buffer | null> {
  const bytes = named.reduce((sum, chunk) => sum + chunk.bytes, 0);
  if (bytes > stagedPageBytesMax) throw new PagesInvalid('a page is too large');
  const staged = await chunks.readChunks(named.map((_, chunk) => ({ scanId, epoch, page, chunk })));
  const contents: Buffer[] = [];
  for (const [index, { digest }] of named.entries()) {
    const chunk = staged[index];
    if (chunk?.digest !== digest || sha256Hex(chunk.content) !== digest) return null;
    contents.push(chunk.content);
  }
  const [only] = contents;
  const text = only && contents.length === 1 ? only : Buffer.concat(contents);
  if (!isUtf8(text)) throw new PagesInvalid('a page is not UTF-8');
  return text;
}

/** Remembers what was read last: the pages of a small scan are read to compare and to write it. */
export function rememberLastRead(chunks: Reading): Reading {
  let last: { readonly key: string; readonly found: (StagedChunk | undefined)[] } | undefined;
  return {
    async readChunks(places) {
      const key = places.map(placeKey).join();
      if (last?.key === key) return last.found;
      const found = await chunks.readChunks(places);
      last = { key, found };
      return found;
    },
  };
}

function placeKey({ scanId, epoch, page, chunk }: ChunkPlace): string {
  return `${scanId}/${epoch}/${page}/${chunk}`;
}
