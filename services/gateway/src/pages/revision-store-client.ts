import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import {
  type CurrentPageMeta,
  currentPageMeta,
  currentPageMetaHeader,
} from '@inventory/contracts/internal/inventory';
import type { Language } from '@inventory/contracts/languages';
import type { Scope } from '@inventory/contracts/scope';
import { CallRefused, type InternalClient } from '@inventory/http/internal-client';

/** Where a chain of pages stands: what its first page selected, and the next position in it. */
export interface PagePosition {
  readonly revisionId: RevisionId;
  readonly observationId: ObservationId;
  readonly position: number;
}

export interface WantedPage {
  readonly scope: Scope;
  readonly language: Language;
  readonly pageSize: number;
  /** Null for the first page, which selects the latest revision. */
  readonly from: PagePosition | null;
}

export interface SavedPage {
  readonly meta: CurrentPageMeta;
  /** The text of `"assets":[…],"descriptions":[…]`; never parsed here. */
  readonly members: Buffer;
}

/** Reads of the revision-store. Rejects with ServiceUnreachable when it does not answer. */
export interface RevisionStoreClient {
  /** Null when nothing is saved, or no longer what the position names. */
  page(wanted: WantedPage): Promise<SavedPage | null>;
}

const service = 'revision-store';

export function createRevisionStoreClient(client: InternalClient): RevisionStoreClient {
  return {
    async page({ scope, language, pageSize, from }) {
      const { status, headers, body } = await client.bytes({
        method: 'GET',
        path: `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}/page`,
        query: {
          language,
          page_size: pageSize,
          position: from?.position ?? 0,
          revision_id: from?.revisionId,
          observation_id: from?.observationId,
        },
      });
      if (status === 404 || status === 410) return null;
      if (status !== 200) throw new CallRefused(service, status, 'page');
      const meta = headers[currentPageMetaHeader];
      return { meta: currentPageMeta.parse(JSON.parse(String(meta))), members: body };
    },
  };
}
