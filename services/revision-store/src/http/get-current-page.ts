import { Readable } from 'node:stream';
import { currentPageMetaHeader, currentPageQuery } from '@inventory/contracts/internal/inventory';
import { scopeKey } from '@inventory/contracts/scope';
import { Refused } from '@inventory/http/refused';
import { unreachable } from '@inventory/runtime/bug';
import type { RouterContext } from '@koa/router';
import {
  type CurrentPageReading,
  type CurrentPageRequest,
  readCurrentPage,
} from '../operations/read-current-page.ts';
import { fromScopePath, toCurrentPageMeta } from './convert.ts';

/** GET /inventories/{platform_id}/{app_id}/{context_id}/page: bytes that are ready to be sent. */
export function getCurrentPage(reading: CurrentPageReading) {
  return async (context: RouterContext): Promise<void> => {
    const scope = fromScopePath(context.params);
    const query = currentPageQuery.parse(context.query);
    const page = await readCurrentPage(reading, {
      scopeKey: scopeKey(scope),
      language: query.language,
      pageSize: query.page_size,
      position: query.position,
      pinned: pinnedBy(query),
    });
    switch (page.result) {
      case 'page':
        context.set(currentPageMetaHeader, JSON.stringify(toCurrentPageMeta(scope, page)));
        context.type = 'application/octet-stream';
        context.length = page.body.reduce((bytes, piece) => bytes + piece.length, 0);
        context.body = Readable.from(page.body, { objectMode: false });
        return;
      case 'no_revision':
        throw new Refused({ code: 'inventory_revision_not_found' });
      case 'expired':
        throw new Refused({ code: 'cursor_expired' });
      case 'beyond_end':
        throw new Refused({ code: 'invalid_request', detail: { issues: [beyondEnd] } });
      default:
        return unreachable(page);
    }
  };
}

const beyondEnd = { in: 'query', field: 'position', reason: 'is beyond the end' } as const;

function pinnedBy(query: ReturnType<typeof currentPageQuery.parse>): CurrentPageRequest['pinned'] {
  const { revision_id: revisionId, observation_id: observationId } = query;
  return revisionId && observationId ? { revisionId, observationId } : null;
}
