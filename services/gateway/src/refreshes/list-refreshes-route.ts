import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import { type ProjectId, refreshId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import { envelope } from '../http/envelope.ts';
import { requireOwnProject } from '../http/project-access.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { CollectorClient, RefreshListPart } from './collector-client.ts';
import { listRefreshesEndpoint } from './refresh-endpoints.ts';

export interface ListRefreshesDeps {
  readonly collector: Pick<CollectorClient, 'refreshes'>;
  readonly cursors: CursorSealer;
}

const position = z.tuple([z.iso.datetime(), refreshId]);

/** GET /v2/projects/{project_id}/inventory-refreshes: newest first, for any Credential of it. */
export function listRefreshesRoute({ collector, cursors }: ListRefreshesDeps): Route {
  const bindingOf = (projectId: ProjectId) => ['refreshes', projectId];

  function open(cursor: string | undefined, projectId: ProjectId): RefreshListPart['after'] {
    if (cursor === undefined) return null;
    const content = cursors.open(cursor, bindingOf(projectId));
    if (content === null) throw new Refused({ code: 'invalid_cursor' });
    const [requestedAt, after] = position.parse(JSON.parse(content));
    return { requestedAt, refreshId: after };
  }

  function seal(last: RefreshRecord, projectId: ProjectId): string {
    return cursors.seal(JSON.stringify([last.requested_at, last.refresh_id]), bindingOf(projectId));
  }

  return defineRoute({
    ...listRefreshesEndpoint,
    async handle({ requestId, authority }, { path, query }) {
      const projectId = path.project_id;
      requireOwnProject(authority, projectId);
      const { items, has_more } = await collector.refreshes(projectId, {
        states: query.state,
        refreshIds: query.refresh_id,
        limit: query.limit,
        after: open(query.cursor, projectId),
      });
      const last = items.at(-1);
      const next_cursor = has_more && last ? seal(last, projectId) : null;
      const pagination = { has_more: next_cursor !== null, next_cursor };
      return { status: 200, body: envelope({ items, pagination }, { request_id: requestId }) };
    },
  });
}
