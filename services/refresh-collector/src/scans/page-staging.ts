import { inventoryApi, stagedPageBytesMax } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { InternalClient } from '@inventory/http/internal-client';
import { type PagePosition, stagePage } from '@inventory/http/stage-page';
import { freeBytes } from '@inventory/runtime/free-bytes';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import { type PlatformPage, pageText } from '../platform/platform-page.domain.ts';

/**
 * Stages pages in the revision-store; the result is the page's entry of the manifest. Rejects with
 * Refused for a page that is never accepted.
 */
export type PageStaging = ReturnType<typeof createPageStaging>;

const largeAssetsMin = 100;

/** Refusals of a page for what it is, or of when it was read: it would be refused every time. */
const refusals = [
  'payload_too_large',
  'invalid_request',
  'chunk_conflict',
  'inventory_erased',
] as const;

/** A page, and the epoch of its inventory that was read before it. */
export interface ReadPagePosition extends PagePosition {
  readonly inventoryEpoch: string;
}

/** `executor` serializes large pages. */
export function createPageStaging(client: InternalClient, executor: SerialExecutor) {
  return {
    /** The text of a page as it is staged; null where it is too large to be saved. Frees the page's rows. */
    async textOf(page: PlatformPage): Promise<Buffer | null> {
      const write = () => stagedText(page);
      return page.assets.length < largeAssetsMin ? write() : executor.enqueue(write);
    },
    /** Read before a page of the inventory is: one that was read before an erasure is not staged after it. */
    async readEpoch(inventory: InventoryKey): Promise<string> {
      const { inventoryEpoch } = await client.call(inventoryApi.readEpoch, { path: inventory });
      return inventoryEpoch;
    },
    /** Frees the text once it is staged. */
    stagePage: (
      { inventoryEpoch, ...position }: ReadPagePosition,
      text: Buffer,
    ): Promise<ManifestPage> =>
      stagePage(client, position, text, { source: 'refresh', inventoryEpoch }, { refusals }),
  };
}

function stagedText(page: PlatformPage): Buffer | null {
  const text = pageText(page);
  // The response that the rows lie in.
  for (const { bytes } of [...page.assets, ...page.descriptions]) freeBytes(bytes);
  return text.length <= stagedPageBytesMax ? text : null;
}
