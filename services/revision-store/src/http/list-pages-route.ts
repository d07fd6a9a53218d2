import { inventoryPaths, stagedPages } from '@inventory/contracts/internal/inventory';
import { internalRoute } from '@inventory/http/internal-route';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { epochPath } from './epoch-path.ts';

export interface ListPagesDeps {
  readonly chunks: Pick<ChunkStore, 'listPages'>;
}

/** The manifest of the staged pages. */
export const listPagesRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.stagedPages,
  input: { path: epochPath },
  answer: stagedPages,
  handle: async ({ chunks }: ListPagesDeps, { path }) => ({
    pages: await chunks.listPages(path.scan_id, path.epoch),
  }),
});
