import { projectPath } from '@inventory/contracts/http/parameters';
import { refreshesQuery, refreshPage } from '@inventory/contracts/http/refresh';
import { refreshId } from '@inventory/contracts/ids';
import type { RefreshList } from '@inventory/contracts/internal/refresh';
import { z } from 'zod';
import { dataRoute, partOf } from '../http/data-route.ts';
import { completedRecord } from '../http/openapi/examples.ts';
import { nextPart, refreshLinks, sameProject, scopeOf } from '../http/openapi/links.ts';
import { type CursorSealer, listParts } from '../http/sealed-cursor.ts';
import type { RefreshServices } from './open-refreshes.ts';

/** GET /v2/projects/{project_id}/inventory-refreshes: newest first, for any Credential of it. */
export const listRefreshesRoute = dataRoute({
  operationId: 'listRefreshes',
  tag: 'Refreshes',
  summary: 'Refreshes of a Project',
  description: 'Newest first, each for 30 days after it is completed; for recovery beside events.',
  method: 'GET',
  template: '/v2/projects/{project_id}/inventory-refreshes',
  input: { path: projectPath, query: refreshesQuery },
  response: partOf(refreshPage, completedRecord, {
    ...refreshLinks('/data/items/0'),
    requestRefresh: scopeOf('/data/items/0'),
    listRefreshes: { ...sameProject, ...nextPart() },
  }),
  errors: ['invalid_cursor'],
  async handle({ collector, cursors }: RefreshServices, { path, query }, { principal }) {
    const parts = refreshParts(cursors, ['refreshes', path.projectId]);
    const { cursor, ...filter } = query;
    const part = await collector.listRefreshes(principal.accountId, {
      path,
      query: { ...filter, ...parts.begin(cursor) },
    });
    return { data: { items: part.items, pagination: parts.paginationAfter(part) } };
  },
});

const position = z.tuple([z.int(), refreshId]);

/** The parts of a list of refreshes, newest first. */
export function refreshParts(cursors: CursorSealer, binding: readonly string[]) {
  const parts = listParts(cursors, binding);
  return {
    /** Where the part of this cursor begins, as the query names it; nothing for the first one. */
    begin(cursor: string | undefined) {
      const content = parts.begin(cursor);
      if (content === null) return null;
      const [beforeRequestedAtMs, beforeRefreshId] = position.parse(JSON.parse(content));
      return { beforeRequestedAtMs, beforeRefreshId };
    },
    paginationAfter({ items, hasMore }: RefreshList) {
      const last = hasMore ? items.at(-1) : undefined;
      const position = last && [last.requestedAtMs, last.refreshId];
      return parts.paginationTo(position ? JSON.stringify(position) : null);
    },
  };
}
