import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { watchesQuery, watchList } from '@inventory/contracts/http/watches';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject, scopeOf } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { openOrRefuse } from '../http/sealed-cursor.ts';
import {
  type WatchRoutesDeps,
  watchExample,
  watchesTemplate,
  watchLinks,
  watchPermission,
  watchTag,
} from './watch-operation.ts';
import { placeOf } from './watch-store.ts';
import { toWireWatch } from './watch-view.ts';

/** GET …/watches: by inventory. */
export const listWatchesRoute = publicRoute({
  operationId: 'listWatches',
  tag: watchTag,
  summary: 'Watches of a Project',
  description: 'By inventory. `last_outcome` is that of the last run whose end is recorded.',
  method: 'GET',
  template: watchesTemplate,
  permission: watchPermission,
  input: { path: projectPath, query: watchesQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: {
      ...watchLinks('/data/items/0'),
      putWatch: { ...sameProject, ...scopeOf('/data/items/0') },
      listWatches: { ...sameProject, ...nextPart() },
    },
    body: { data: watchList, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [watchExample],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'invalid_cursor'],
  async handle(
    { watches, prices, cursors }: Pick<WatchRoutesDeps, 'watches' | 'prices' | 'cursors'>,
    { path: { project_id: projectId }, query: { state, limit, cursor } },
    { requestId, principal },
  ) {
    requireOwnProject(principal, projectId);
    const binding = ['watches', projectId];
    const after = cursor === undefined ? null : openOrRefuse(cursors, cursor, binding);
    const found = await watches.listWatches({ projectId, state, after, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    const next_cursor = last ? cursors.seal(placeOf(projectId, last.scope), binding) : null;
    const list = await prices.readPrices();
    const data = {
      items: items.map((one) => toWireWatch(one, list)),
      pagination: { has_more: next_cursor !== null, next_cursor },
    };
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});
