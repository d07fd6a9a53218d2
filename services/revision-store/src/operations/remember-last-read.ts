import type { ChunkPlace, ChunkStore, StagedChunk } from '../storage/chunk-store.ts';

type Reading = Pick<ChunkStore, 'readChunks'>;

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
