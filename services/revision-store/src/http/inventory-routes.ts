import { Readable } from 'node:stream';
import { scopePath } from '@inventory/contracts/http/parameters';
import {
  type CurrentPageMeta,
  currentPageMeta,
  currentPageMetaHeader,
  currentPageQuery,
  inventoryPaths,
  latestObservation,
} from '@inventory/contracts/internal/inventory';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import { Reply } from '@inventory/http/reply';
import { unreachable } from '@inventory/runtime/bug';
import { isoTime } from '@inventory/runtime/clock';
import type { z } from 'zod';
import { countPage } from '../metrics.ts';
import { type EraseInventoryDeps, eraseInventory } from '../operations/erase-inventory.ts';
import {
  type CurrentPage,
  type CurrentPageRequest,
  type ReadCurrentPageDeps,
  readCurrentPage,
} from '../operations/read-current-page.ts';
import type { ScopeStore } from '../storage/scope-store.ts';

/** One page as stored bytes; the header describes them. */
export const readCurrentPageRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.page,
  callers: ['gateway'],
  input: { path: scopePath, query: currentPageQuery },
  // Pages are a few MiB each, and in memory until they are sent.
  inFlightMax: 48,
  async handle(deps: ReadCurrentPageDeps, { path: scope, query }) {
    const page = await readCurrentPage(deps, {
      scopeKey: inventoryKeyText(scope),
      language: query.language,
      pageSize: query.page_size,
      position: query.position,
      coding: query.coding ?? null,
      pinned: pinnedBy(query),
    });
    switch (page.result) {
      case 'page': {
        const bytes = page.body.reduce((sum, piece) => sum + piece.length, 0);
        countPage(page.packed?.rawBytes ?? bytes);
        return new Reply({
          headers: {
            [currentPageMetaHeader]: JSON.stringify(toCurrentPageMeta(scope, page)),
            'Content-Length': String(bytes),
          },
          type: 'application/octet-stream',
          body: Readable.from(page.body, { objectMode: false }),
        });
      }
      case 'no_revision':
        throw new Refused({ code: 'inventory_revision_not_found' });
      case 'expired':
        throw new Refused({ code: 'cursor_expired' });
      case 'beyond_end':
        throw new Refused({ code: 'invalid_request', detail: { issues: [beyondEnd] } });
      default:
        return unreachable(page);
    }
  },
});

/** What was observed last, for a refresh that may be answered from it. */
export const readObservationRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.observation,
  callers: ['refresh-collector'],
  input: { path: scopePath },
  answer: latestObservation,
  async handle({ scopes }: { readonly scopes: Pick<ScopeStore, 'readLatest'> }, { path }) {
    const latest = await scopes.readLatest(inventoryKeyText(path));
    if (latest === null) throw new Refused({ code: 'inventory_revision_not_found' });
    const { revision, window, language } = latest.head;
    return {
      revision_id: revision.revisionId,
      verified_at: isoTime(window.completedAtMs),
      language,
      observed_assets: revision.totalCount,
      changed: latest.changed,
    };
  },
});

const beyondEnd = { in: 'query', field: 'position', reason: 'is beyond the end' } as const;

function pinnedBy(query: z.output<typeof currentPageQuery>): CurrentPageRequest['pinned'] {
  const { revision_id: revisionId, observation_id: observationId } = query;
  return revisionId && observationId ? { revisionId, observationId } : null;
}

/** 204, also when nothing was saved. */
export const eraseInventoryRoute = internalRoute({
  method: 'DELETE',
  template: inventoryPaths.inventory,
  callers: ['gateway'],
  input: { path: scopePath },
  status: 204,
  async handle(deps: EraseInventoryDeps, { path }) {
    await eraseInventory(deps, inventoryKeyText(path));
  },
});

function toCurrentPageMeta(
  of: InventoryKey,
  page: Extract<CurrentPage, { result: 'page' }>,
): CurrentPageMeta {
  const { observation, language, nextPosition, packed } = page;
  const { revision, window } = observation;
  const completedAt = isoTime(window.completedAtMs);
  return currentPageMeta.parse({
    scope: of,
    revision_id: revision.revisionId,
    observation_id: observation.observationId,
    verified_at: completedAt,
    scan_window: { started_at: isoTime(window.startedAtMs), completed_at: completedAt },
    total_count: revision.totalCount,
    total_amount: revision.totalAmount,
    reported_total_count: observation.reportedTotalCount,
    language,
    next_position: nextPosition,
    packed: packed && { coding: packed.coding, raw_bytes: packed.rawBytes, crc32: packed.crc32 },
  });
}
