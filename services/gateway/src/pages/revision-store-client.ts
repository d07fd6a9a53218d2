import type { inventoryAging } from '@inventory/contracts/http/sandbox';
import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import {
  type ChangesPageMeta,
  changesPageMeta,
  changesPageMetaHeader,
  changesPagePath,
  changesPageQuery,
} from '@inventory/contracts/internal/changes';
import {
  type CurrentPageMeta,
  currentPageMeta,
  currentPageMetaHeader,
  currentPageQuery,
  exportLinesQuery,
  inventoryApi,
  inventoryPaths,
} from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { ContentCoding, Descriptions } from '@inventory/contracts/vocabulary';
import type { Lane } from '@inventory/http/call-lanes';
import type { InternalCall, InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';

/**
 * Position in a chain of pages: the revision selected by its first page, and the next position in
 * it.
 */
export interface PinnedPosition {
  readonly revisionId: RevisionId;
  readonly observationId: ObservationId;
  readonly position: number;
}

export interface WantedSavedPage {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly pageSize: number;
  readonly descriptions: Descriptions;
  /** The assets to look up; none for a page of all. */
  readonly assetIds: readonly string[];
  /** Which its client accepts; null for none. */
  readonly coding: ContentCoding | null;
  /** Null for the first page, which selects the latest revision. */
  readonly from: PinnedPosition | null;
}

export interface SavedPage {
  readonly meta: CurrentPageMeta;
  /**
   * The text of `"assets":[…],"descriptions":[…]`, the packed beginning of a response, or a run of
   * lines; never parsed here.
   */
  readonly parts: readonly Buffer[];
}

export type ChangesPageQuery = z.output<typeof changesPageQuery>;

export interface SavedChanges {
  readonly meta: ChangesPageMeta;
  /** The text of `"added":[…],"removed":[…],"changed":[…],"descriptions":[…]`; never parsed here. */
  readonly bytes: Buffer;
}

export type RevisionStoreClient = ReturnType<typeof createRevisionStoreClient>;

/** Reads of the revision-store. Rejects with ServiceUnreachable when it is unavailable. */
export function createRevisionStoreClient(client: InternalClient) {
  return {
    ageInventory: (scope: InventoryKey, body: z.output<typeof inventoryAging>) =>
      client.call(inventoryApi.ageInventory, { path: scope, body }),
    readSummary: (scope: InventoryKey) => client.call(inventoryApi.readSummary, { path: scope }),
    /**
     * Null when nothing is saved, or the revision of the position no longer is. Rejects with
     * `invalid_request` for assets that are larger than a page.
     */
    findPage: (wanted: WantedSavedPage) => findRows(client, callOf(wanted)),
    /**
     * A run of lines of an export. Null when nothing is saved, or the observation no longer is.
     * Rejects with `invalid_request` after the end.
     */
    findLines(scope: InventoryKey, query: z.output<typeof exportLinesQuery>, signal: AbortSignal) {
      return findRows(client, {
        method: 'GET',
        path: pathOf(inventoryPaths.lines, scope),
        query: z.encode(exportLinesQuery, query),
        refusals: ['inventory_revision_not_found', 'cursor_expired', 'invalid_request'],
        lane: exportCalls,
        signal,
      });
    },
    /** Rejects with {@link Refused} where there is no such page of changes. */
    async findChanges(scope: InventoryKey, query: ChangesPageQuery): Promise<SavedChanges> {
      const response = await client.bytes({
        method: 'GET',
        path: pathOf(changesPagePath, scope),
        query: z.encode(changesPageQuery, query),
        refusals: [
          'inventory_revision_not_found',
          'revision_expired',
          'cursor_expired',
          'invalid_request',
        ],
      });
      const meta = response.headers[changesPageMetaHeader];
      return { meta: changesPageMeta.parse(JSON.parse(String(meta))), bytes: response.body };
    },
  };
}

/** Exports have connections of their own: no page waits for one. */
const exportCalls: Lane = { connections: 16, waitingMax: 1_000 };

async function findRows(client: InternalClient, call: InternalCall): Promise<SavedPage | null> {
  const response = await client.parts(call).catch((error: unknown) => {
    if (error instanceof Refused && error.refusal.code !== 'invalid_request') return null;
    throw error;
  });
  if (response === null) return null;
  const meta = response.headers[currentPageMetaHeader];
  return { meta: currentPageMeta.parse(JSON.parse(String(meta))), parts: response.parts };
}

function callOf(wanted: WantedSavedPage): InternalCall {
  const { scope, language, pageSize, descriptions, assetIds, coding, from } = wanted;
  if (assetIds.length > 0) {
    return {
      method: 'GET',
      path: pathOf(inventoryPaths.assets, scope),
      query: { language, descriptions, assetid: assetIds },
      refusals: ['inventory_revision_not_found', 'invalid_request'],
    };
  }
  return {
    method: 'GET',
    path: pathOf(inventoryPaths.page, scope),
    query: z.encode(currentPageQuery, {
      language,
      pageSize,
      descriptions,
      coding,
      ...{ position: 0, revisionId: null, observationId: null },
      ...from,
    }),
    refusals: ['inventory_revision_not_found', 'cursor_expired'],
  };
}
