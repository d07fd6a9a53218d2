import type { ManifestPage } from '@inventory/contracts/messages/revision-commands';
import type { InternalClient } from '@inventory/http/internal-client';
import { type PagePlace, stagePage } from '@inventory/http/stage-page';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import { type PlatformPage, pageMembers } from '../egress/platform-page.domain.ts';

/** Stages pages in the revision-store; the result is the page's entry of the manifest. */
export interface RevisionStoreClient {
  stagePage(place: PagePlace, page: PlatformPage): Promise<ManifestPage>;
}

const largeAssetsMin = 100;

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
      return stagePage(client, place, text);
    },
  };
}
