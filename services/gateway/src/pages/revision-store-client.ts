import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import {
  type CurrentPageMeta,
  currentPageMeta,
  currentPageMetaHeader,
  inventoryPaths,
} from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { ContentCoding, Descriptions } from '@inventory/contracts/vocabulary';
import type { InternalCall, InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { Refused } from '@inventory/http/refused';

/**
 * Position in a chain of pages: the revision selected by its first page, and the next position in
 * it.
 */
export interface PagePosition {
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
  readonly from: PagePosition | null;
}

export interface SavedPage {
  readonly meta: CurrentPageMeta;
  /** The text of `"assets":[…],"descriptions":[…]`, or the packed beginning of a response; never parsed here. */
  readonly bytes: Buffer;
}

/** Reads of the revision-store. Rejects with ServiceUnreachable when it is unavailable. */
export interface RevisionStoreClient {
  /**
   * Null when nothing is saved, or the revision of the position no longer is. Rejects with
   * `invalid_request` for assets that are larger than a page.
   */
  findPage(wanted: WantedSavedPage): Promise<SavedPage | null>;
}

export function createRevisionStoreClient(client: InternalClient): RevisionStoreClient {
  return {
    async findPage(wanted) {
      const answer = await client.bytes(callOf(wanted)).catch((error: unknown) => {
        if (error instanceof Refused && error.refusal.code !== 'invalid_request') return null;
        throw error;
      });
      if (answer === null) return null;
      const meta = answer.headers[currentPageMetaHeader];
      return { meta: currentPageMeta.parse(JSON.parse(String(meta))), bytes: answer.body };
    },
  };
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
    query: {
      language,
      page_size: pageSize,
      descriptions,
      coding: coding ?? undefined,
      position: from?.position ?? 0,
      revision_id: from?.revisionId,
      observation_id: from?.observationId,
    },
    refusals: ['inventory_revision_not_found', 'cursor_expired'],
  };
}
