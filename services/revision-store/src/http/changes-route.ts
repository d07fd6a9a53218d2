import { Readable } from 'node:stream';
import { currentPath } from '@inventory/contracts/http/current';
import { scopePath } from '@inventory/contracts/http/parameters';
import {
  type ChangesPageMeta,
  changesPageMeta,
  changesPageMetaHeader,
  changesPagePath,
  changesPageQuery,
} from '@inventory/contracts/internal/changes';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import { Reply } from '@inventory/http/reply';
import { unreachable } from '@inventory/runtime/bug';
import { z } from 'zod';
import {
  type ChangesPageRequest,
  type ChangesRead,
  readChanges,
} from '../changes/read-changes-page.ts';
import { countPage } from '../metrics.ts';
import type { InventoryReading } from '../reads/open-reading.ts';

/** One page of what changed since a revision, as stored bytes; the header describes them. */
export const readChangesPageRoute = internalRoute({
  method: 'GET',
  template: changesPagePath,
  callers: ['gateway'],
  input: { path: scopePath, query: changesPageQuery },
  // Pages are a few MiB each, and in memory until they are sent.
  inFlightMax: 24,
  async handle(reading: InventoryReading, { path: scope, query }) {
    const request = { ...query, scope, pinned: pinnedBy(query) };
    const page = await readChanges(reading, request);
    switch (page.result) {
      case 'page': {
        const bytes = page.body.reduce((sum, piece) => sum + piece.length, 0);
        countPage(bytes);
        return new Reply({
          headers: {
            [changesPageMetaHeader]: JSON.stringify(
              z.encode(changesPageMeta, metaOf(request, page)),
            ),
            'Content-Length': String(bytes),
          },
          type: 'application/octet-stream',
          body: Readable.from(page.body, { objectMode: false }),
        });
      }
      case 'no_revision':
        throw new Refused({ code: 'inventory_revision_not_found' });
      case 'cursor_expired':
        throw new Refused({ code: 'cursor_expired' });
      case 'unknown_revision':
        throw new Refused({ code: 'invalid_request', detail: { issues: [unknownRevision] } });
      case 'revision_expired': {
        const detail = { revision_id: page.newest, links: { current: currentPath(scope) } };
        throw new Refused({ code: 'revision_expired', detail });
      }
      default:
        return unreachable(page);
    }
  },
});

const unknownRevision = {
  in: 'query',
  field: 'since',
  reason: 'is no revision of this inventory',
} as const;

function pinnedBy({
  revisionId,
  observationId,
  afterKey,
}: z.output<typeof changesPageQuery>): ChangesPageRequest['pinned'] {
  return revisionId && observationId && afterKey ? { revisionId, observationId, afterKey } : null;
}

function metaOf(
  { scope, since }: ChangesPageRequest,
  { to, language, counts, lastKey }: Extract<ChangesRead, { result: 'page' }>,
): ChangesPageMeta {
  const { revision, observationId, scanWindow } = to;
  return {
    scope,
    fromRevisionId: since,
    toRevisionId: revision.revisionId,
    observationId,
    verifiedAtMs: scanWindow.completedAtMs,
    scanWindow,
    language,
    counts,
    lastKey,
  };
}
