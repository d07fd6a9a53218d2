import { Readable } from 'node:stream';
import { scopePath } from '@inventory/contracts/http/parameters';
import {
  assetsQuery,
  type CurrentPageMeta,
  currentPageMeta,
  currentPageMetaHeader,
  currentPageQuery,
  exportLinesQuery,
  inventoryApi,
  inventoryPaths,
} from '@inventory/contracts/internal/inventory';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { writeLineRun } from '@inventory/http/line-run';
import { Refused } from '@inventory/http/refused';
import { Reply } from '@inventory/http/reply';
import { unreachable } from '@inventory/runtime/bug';
import { z } from 'zod';
import { readExportLines } from '../exports/read-export-lines.ts';
import { countPage } from '../metrics.ts';
import { ageInventory } from '../pruning/age-inventory.ts';
import { eraseSavedInventory } from '../pruning/erase-inventory.ts';
import { lookUpAssets } from '../reads/look-up-assets.ts';
import type { InventoryReading } from '../reads/open-reading.ts';
import { type CurrentPageRequest, type PageHead, readCurrent } from '../reads/read-current-page.ts';
import type { NoPage } from '../reads/read-observed.ts';
import type { Scanning } from '../scans/open-scanning.ts';

/** One page as stored bytes; the header describes them. */
export const readCurrentPageRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.page,
  callers: ['gateway'],
  input: { path: scopePath, query: currentPageQuery },
  // Pages are a few MiB each, and in memory until they are sent.
  inFlightMax: 48,
  async handle(reading: InventoryReading, { path: scope, query }) {
    const page = await readCurrent(reading, {
      ...query,
      scopeKey: inventoryKeyText(scope),
      pinned: pinnedBy(query),
    });
    if (page.result !== 'page') throw noPage(page);
    return pageReply(metaOf(scope, page), page.body);
  },
});

function noPage({ result }: NoPage): Refused {
  switch (result) {
    case 'no_revision':
      return new Refused({ code: 'inventory_revision_not_found' });
    case 'expired':
      return new Refused({ code: 'cursor_expired' });
    case 'beyond_end':
      return new Refused({ code: 'invalid_request', detail: { issues: [beyondEnd] } });
    default:
      return unreachable(result);
  }
}

/** A run of lines of an export, to be joined by who sends them. */
export const readExportLinesRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.lines,
  callers: ['gateway'],
  input: { path: scopePath, query: exportLinesQuery },
  // Each has its lines in memory until they are sent, and a block.
  inFlightMax: 8,
  async handle(reading: InventoryReading, { path: scope, query }) {
    const scopeKey = inventoryKeyText(scope);
    const lines = await readExportLines(reading, { ...query, scopeKey });
    if (lines.result !== 'page') throw noPage(lines);
    const meta = metaOf(scope, { ...lines, packed: null });
    return pageReply(meta, writeLineRun(lines.lines));
  },
});

/** The assets with these ids, as a page. */
export const lookUpAssetsRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.assets,
  callers: ['gateway'],
  input: { path: scopePath, query: assetsQuery },
  // Each has up to a page in memory, and the index of its revision.
  inFlightMax: 16,
  async handle(reading: InventoryReading, { path: scope, query }) {
    const { language, descriptions, assetid: assetIds } = query;
    const scopeKey = inventoryKeyText(scope);
    const found = await lookUpAssets(reading, { scopeKey, language, descriptions, assetIds });
    switch (found.result) {
      case 'page': {
        const meta = metaOf(scope, { ...found, nextPosition: null, packed: null });
        return pageReply({ ...meta, notInRevision: [...found.notInRevision] }, found.body);
      }
      case 'no_revision':
        throw new Refused({ code: 'inventory_revision_not_found' });
      case 'too_large':
        throw new Refused({ code: 'invalid_request', detail: { issues: [tooLarge] } });
      default:
        return unreachable(found);
    }
  },
});

/** What was observed last, for a refresh that may be completed from it. */
export const readObservationRoute = internalRoute({
  ...inventoryApi.readObservation,
  async handle({ scopes }: InventoryReading, { path }) {
    const latest = await scopes.readLatest(inventoryKeyText(path));
    if (latest === null) throw new Refused({ code: 'inventory_revision_not_found' });
    const { head, changed, previousRevisionId } = latest;
    const { revision, scanWindow, language } = head;
    return {
      revisionId: revision.revisionId,
      verifiedAtMs: scanWindow.completedAtMs,
      language,
      observedAssets: revision.totalCount,
      changed,
      previousRevisionId,
    };
  },
});

/** What is saved, by one read of the head. */
export const readSavedSummaryRoute = internalRoute({
  ...inventoryApi.readSummary,
  async handle({ scopes }: InventoryReading, { path }) {
    const head = await scopes.readHead(inventoryKeyText(path));
    if (head === null) throw new Refused({ code: 'inventory_revision_not_found' });
    const { revision, observationId, scanWindow, source, language, reportedTotalCount } = head;
    const { revisionId, totalCount, descriptionCount } = revision;
    return {
      revisionId,
      observationId,
      verifiedAtMs: scanWindow.completedAtMs,
      scanWindow,
      observedBy: source,
      language,
      totalCount,
      hiddenCount: Math.max(0, reportedTotalCount - totalCount),
      descriptionCount,
    };
  },
});

const tooLarge = {
  in: 'query',
  field: 'assetid',
  reason: 'these assets are larger than a page of 16 MiB: request fewer',
} as const;

function pageReply(meta: CurrentPageMeta, body: readonly Buffer[]): Reply {
  const bytes = body.reduce((sum, piece) => sum + piece.length, 0);
  countPage(meta.packed?.rawBytes ?? bytes);
  return new Reply({
    headers: {
      [currentPageMetaHeader]: JSON.stringify(z.encode(currentPageMeta, meta)),
      'Content-Length': String(bytes),
    },
    type: 'application/octet-stream',
    body: Readable.from(body, { objectMode: false }),
  });
}

const beyondEnd = { in: 'query', field: 'position', reason: 'is beyond the end' } as const;

function pinnedBy({
  revisionId,
  observationId,
}: z.output<typeof currentPageQuery>): CurrentPageRequest['pinned'] {
  return revisionId && observationId ? { revisionId, observationId } : null;
}

export const ageInventoryRoute = internalRoute({
  ...inventoryApi.ageInventory,
  async handle(scanning: Scanning, { path, body: { seconds } }) {
    const verifiedAtMs = await ageInventory(scanning, inventoryKeyText(path), seconds * 1_000);
    return { verifiedAtMs };
  },
});

/** 204, also when nothing was saved. */
export const eraseSavedInventoryRoute = internalRoute({
  method: 'DELETE',
  template: inventoryPaths.inventory,
  callers: ['gateway'],
  input: { path: scopePath },
  status: 204,
  async handle(scanning: Scanning, { path }) {
    await eraseSavedInventory(scanning, inventoryKeyText(path));
  },
});

function metaOf(
  scope: InventoryKey,
  { observation, language, nextPosition, packed }: PageHead,
): CurrentPageMeta {
  const { revision, observationId, scanWindow, reportedTotalCount } = observation;
  const { revisionId, totalCount, totalAmount } = revision;
  return {
    scope,
    revisionId,
    observationId,
    verifiedAtMs: scanWindow.completedAtMs,
    scanWindow,
    totalCount,
    totalAmount,
    reportedTotalCount,
    language,
    nextPosition,
    packed,
  };
}
