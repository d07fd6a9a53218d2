import type { ManifestPage } from '@inventory/contracts/messages/revision-commands';
import type { InternalClient } from '@inventory/http/internal-client';
import { type PagePlace, stagePage } from '@inventory/http/stage-page';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import { type PlatformPage, pageMembers } from '../egress/platform-page.domain.ts';

/**
 * Stages pages in the revision-store; the result is the page's entry of the manifest. Rejects with
 * Refused for a page that is never accepted.
 */
export interface RevisionStoreClient {
  stagePage(place: PagePlace, page: PlatformPage): Promise<ManifestPage>;
}

const largeAssetsMin = 100;

/** Refusals of a page for what it is: it would be refused every time. */
const refusals = ['payload_too_large', 'invalid_request', 'chunk_conflict'] as const;

/** `executor` serializes large pages. */
export function createRevisionStoreClient(
  client: InternalClient,
  executor: SerialExecutor,
): RevisionStoreClient {
  return {
    async stagePage(place, page) {
      const write = () =>
        Buffer.concat([Buffer.from('{'), pageMembers(page, 'with_properties'), Buffer.from('}')]);
      const isLarge = page.assets.length >= largeAssetsMin;
      const text = isLarge ? await executor.enqueue(write) : write();
      return stagePage(client, place, text, { refusals });
    },
  };
}
