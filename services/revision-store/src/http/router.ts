import Router from '@koa/router';
import type { InventoryErasure } from '../operations/erase-inventory.ts';
import type { CurrentPageReading } from '../operations/read-current-page.ts';
import type { ChunkStaging } from '../operations/stage-chunk.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import { deleteInventory } from './delete-inventory.ts';
import { getCurrentPage } from './get-current-page.ts';
import { limitInFlight } from './in-flight.ts';
import { listPages } from './list-pages.ts';
import { putChunk } from './put-chunk.ts';

/** Bodies of up to 2 MiB, and pages of a few MiB, that are in memory at once. */
const chunksInFlightMax = 16;
const pagesInFlightMax = 48;

export function createRouter(operations: {
  readonly staging: ChunkStaging;
  readonly chunks: Pick<ChunkStore, 'list'>;
  readonly reading: CurrentPageReading;
  readonly erasure: InventoryErasure;
}): Router {
  const inventory = '/inventories/:platform_id/:app_id/:context_id';
  const router = new Router();
  router.put(
    '/scans/:scan_id/epochs/:epoch/pages/:page/chunks/:chunk',
    limitInFlight(chunksInFlightMax),
    putChunk(operations.staging),
  );
  router.get('/scans/:scan_id/epochs/:epoch/pages', listPages(operations.chunks));
  router.get(
    `${inventory}/page`,
    limitInFlight(pagesInFlightMax),
    getCurrentPage(operations.reading),
  );
  router.delete(inventory, deleteInventory(operations.erasure));
  return router;
}
