import { createHash } from 'node:crypto';
import {
  chunkBytesMax,
  chunkDigestHeader,
  inventoryPaths,
} from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision-commands';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import type { PlatformPage } from '../egress/platform-page.domain.ts';

/** Stages pages in the revision-store; the result is the page's entry of the manifest. */
export interface RevisionStoreClient {
  stagePage(place: PagePlace, page: PlatformPage): Promise<ManifestPage>;
}

export interface PagePlace {
  readonly scanId: string;
  readonly epoch: number;
  readonly page: number;
}

const largeAssetsMin = 100;

/** `executor` serializes large pages. */
export function createRevisionStoreClient(
  client: InternalClient,
  executor: SerialExecutor,
): RevisionStoreClient {
  async function putChunk(place: PagePlace, chunk: number, body: Buffer, digest: string) {
    const { scanId, ...numbers } = place;
    await client.bytes({
      method: 'PUT',
      path: pathOf(inventoryPaths.chunk, { scan_id: scanId, ...numbers, chunk }),
      headers: { [chunkDigestHeader]: digest, 'content-type': 'application/octet-stream' },
      body,
    });
  }

  return {
    async stagePage(place, { assets, descriptions }) {
      const write = () => Buffer.from(JSON.stringify({ assets, descriptions }));
      const bytes = assets.length < largeAssetsMin ? write() : await executor.enqueue(write);
      const chunks: ManifestPage['chunks'] = [];
      for (let start = 0; start < bytes.length; start += chunkBytesMax) {
        const chunk = bytes.subarray(start, start + chunkBytesMax);
        const digest = createHash('sha256').update(chunk).digest('hex');
        await putChunk(place, chunks.length, chunk, digest);
        chunks.push({ digest, bytes: chunk.length });
      }
      return { page: place.page, epoch: place.epoch, chunks };
    },
  };
}
