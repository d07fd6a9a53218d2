import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import {
  type ChangesPageMeta,
  changesPageMeta,
  changesPageMetaHeader,
  changesPagePath,
} from '@inventory/contracts/internal/changes';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { Refusal } from '@inventory/contracts/refusal';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { Refused } from '@inventory/http/refused';

export interface WantedChanges {
  readonly scope: InventoryKey;
  readonly since: RevisionId;
  readonly language: Language;
  readonly pageSize: number;
  /** What the first page led to, and the key of the last change given; null for the first page. */
  readonly pinned: {
    readonly revisionId: RevisionId;
    readonly observationId: ObservationId;
    readonly behind: string;
  } | null;
}

export interface ChangesPage {
  readonly meta: ChangesPageMeta;
  /** The text of `"added":[…],"removed":[…],"changed":[…],"descriptions":[…]`; never parsed here. */
  readonly bytes: Buffer;
}

export type FoundChanges =
  | { readonly result: 'page'; readonly page: ChangesPage }
  | { readonly result: 'refused'; readonly refusal: Refusal };

/** Reads of changes of the revision-store. Rejects with ServiceUnreachable when it is unavailable. */
export interface ChangesClient {
  findChanges(wanted: WantedChanges): Promise<FoundChanges>;
}

export function createChangesClient(client: InternalClient): ChangesClient {
  return {
    async findChanges({ scope, since, language, pageSize, pinned }) {
      try {
        const answer = await client.bytes({
          method: 'GET',
          path: pathOf(changesPagePath, scope),
          query: {
            since,
            language,
            page_size: pageSize,
            revision_id: pinned?.revisionId,
            observation_id: pinned?.observationId,
            behind: pinned?.behind,
          },
          refusals: [
            'inventory_revision_not_found',
            'revision_expired',
            'cursor_expired',
            'invalid_request',
          ],
        });
        const meta = answer.headers[changesPageMetaHeader];
        const page = { meta: changesPageMeta.parse(JSON.parse(String(meta))), bytes: answer.body };
        return { result: 'page', page };
      } catch (error) {
        if (error instanceof Refused) return { result: 'refused', refusal: error.refusal };
        throw error;
      }
    },
  };
}
