import type { ManifestPage } from '../domain/scan.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { sha256Hex } from './sha256.ts';

/** Largest text of one staged page: what is parsed at once is bounded. */
export const pageBytesMax = 16 * 1024 * 1024;

export type StagedPageText =
  | { readonly found: 'text'; readonly text: string }
  | { readonly found: 'missing' }
  | { readonly found: 'invalid' };

/** The text of one page of a manifest: exactly the chunks it names, none other. */
export async function readStagedPage(
  chunks: Pick<ChunkStore, 'read'>,
  scanId: string,
  { page, epoch, chunks: named }: ManifestPage,
): Promise<StagedPageText> {
  const bytes = named.reduce((sum, chunk) => sum + chunk.bytes, 0);
  if (bytes > pageBytesMax) return { found: 'invalid' };
  const staged = await chunks.read(named.map((_, chunk) => ({ scanId, epoch, page, chunk })));
  const contents: Buffer[] = [];
  for (const [index, { digest }] of named.entries()) {
    const chunk = staged[index];
    if (chunk?.digest !== digest || sha256Hex(chunk.content) !== digest)
      return { found: 'missing' };
    contents.push(chunk.content);
  }
  return decodeText(Buffer.concat(contents));
}

/** UTF-8 to the letter: a byte that is none would otherwise be saved as another character. */
function decodeText(bytes: Buffer): StagedPageText {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { found: 'text', text: decoder.decode(bytes) };
  } catch {
    return { found: 'invalid' };
  }
}
