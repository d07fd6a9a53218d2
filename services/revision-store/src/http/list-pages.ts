import { stagedPages } from '@inventory/contracts/internal/inventory';
import type { RouterContext } from '@koa/router';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { fromEpochPath } from './convert.ts';

/** GET /scans/{scan_id}/epochs/{epoch}/pages: the manifest of what is staged now. */
export function listPages(chunks: Pick<ChunkStore, 'list'>) {
  return async (context: RouterContext): Promise<void> => {
    const { scanId, epoch } = fromEpochPath(context.params);
    context.body = stagedPages.parse({ pages: await chunks.list(scanId, epoch) });
  };
}
