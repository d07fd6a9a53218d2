import { deleteWatchRoute } from './delete-watch-route.ts';
import { listWatchRunsRoute } from './list-watch-runs-route.ts';
import { listWatchesRoute } from './list-watches-route.ts';
import { putWatchRoute } from './put-watch-route.ts';
import { putWatchesRoute } from './put-watches-route.ts';
import { readWatchRoute } from './read-watch-route.ts';
import { testWatchesRoute } from './test-watches-route.ts';

/** The inventories that a Project watches, in the order of the reference. */
export const watchRoutes = [
  putWatchRoute,
  putWatchesRoute,
  readWatchRoute,
  listWatchesRoute,
  listWatchRunsRoute,
  deleteWatchRoute,
  testWatchesRoute,
];
