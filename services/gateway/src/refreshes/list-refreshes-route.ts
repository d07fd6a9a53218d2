import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { type RefreshRecord, refreshesQuery, refreshPage } from '@inventory/contracts/http/refresh';
import { type ProjectId, refreshId } from '@inventory/contracts/ids';
import { z } from 'zod';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { completedRecord, exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, refreshLinks, sameProject, scopeOf } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { type CursorSealer, openOrRefuse } from '../http/sealed-cursor.ts';
import type { CollectorClient, RefreshListPart } from './collector-client.ts';

const position = z.tuple([z.iso.datetime(), refreshId]);

/** GET /v2/projects/{project_id}/inventory-refreshes: newest first, for any Credential of it. */
export const listRefreshesRoute = publicRoute({
  operationId: 'listRefreshes',
  tag: 'Refreshes',
  summary: 'Refreshes of a Project',
  description: 'Newest first, each for 30 days after it is completed; for recovery beside events.',
  method: 'GET',
  template: '/v2/projects/{project_id}/inventory-refreshes',
  input: { path: projectPath, query: refreshesQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: {
      ...refreshLinks('/data/items/0'),
      requestRefresh: scopeOf('/data/items/0'),
      listRefreshes: { ...sameProject, ...nextPart() },
    },
    body: { data: refreshPage, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [completedRecord],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'invalid_cursor'],
  async handle(
    {
      collector,
      cursors,
    }: {
      readonly collector: Pick<CollectorClient, 'listRefreshes'>;
      readonly cursors: CursorSealer;
    },
    { path, query },
    { requestId, principal },
  ) {
    const projectId = path.project_id;
    requireOwnProject(principal, projectId);
    const { items, has_more } = await collector.listRefreshes(projectId, {
      states: query.state,
      refreshIds: query.refresh_id,
      limit: query.limit,
      after: openCursor(cursors, projectId, query.cursor),
    });
    const last = items.at(-1);
    const next_cursor = has_more && last ? sealCursor(cursors, projectId, last) : null;
    const pagination = { has_more: next_cursor !== null, next_cursor };
    return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
  },
});

function bindingOf(projectId: ProjectId): string[] {
  return ['refreshes', projectId];
}

function openCursor(
  cursors: CursorSealer,
  projectId: ProjectId,
  cursor?: string,
): RefreshListPart['after'] {
  if (cursor === undefined) return null;
  const content = openOrRefuse(cursors, cursor, bindingOf(projectId));
  const [requestedAt, after] = position.parse(JSON.parse(content));
  return { requestedAt, refreshId: after };
}

function sealCursor(cursors: CursorSealer, projectId: ProjectId, last: RefreshRecord): string {
  return cursors.seal(JSON.stringify([last.requested_at, last.refresh_id]), bindingOf(projectId));
}
