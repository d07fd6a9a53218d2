import { isUtf8 } from 'node:buffer';
import { stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '../domain/scan.ts';
import type { ChunkPlace, ChunkStore, StagedChunk } from '../storage/chunk-store.ts';
import { unpack } from '../storage/compression.ts';
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
    if (chunk?.digest !== digest) return null;
    const content = unpack(chunk);
    if (sha256Hex(content) !== digest) return null;
    contents.push(content);
  }
  const [only] = contents;
  const text = only && contents.length === 1 ? only : Buffer.concat(contents);
  if (!isUtf8(text)) throw new PagesInvalid('a page is not UTF-8');
  return text;
}

/** Packed chunks of one scan; 250,000 assets take about 20 MiB. */
const rememberedBytesMax = 32 * 1024 * 1024;

/** The pages of a scan are read to compare and to write it: from the store once, as far as they fit. */
export function rememberChunks(chunks: Reading): Reading {
  const remembered = new Map<string, (StagedChunk | undefined)[]>();
  let bytes = 0;
  return {
    async readChunks(places) {
      const key = places.map(placeKey).join();
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const found = await chunks.readChunks(places);
      bytes += found.reduce((sum, chunk) => sum + (chunk?.packed.length ?? 0), 0);
      if (bytes <= rememberedBytesMax) remembered.set(key, found);
      return found;
    },
  };
}

function placeKey({ scanId, epoch, page, chunk }: ChunkPlace): string {
  return `${scanId}/${epoch}/${page}/${chunk}`;
}
