import { inventoryApi } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { InternalClient } from '@inventory/http/internal-client';
import { stagePage } from '@inventory/http/stage-page';
import type { Clock } from '@inventory/runtime/clock';
import { DeadlineExceeded, withDeadline } from '@inventory/runtime/wait';
import { captureEpoch } from './capture.domain.ts';

/** A page of a chain, and the epoch of its inventory that was read before it. */
export interface ChainPagePosition {
  readonly scanId: string;
  readonly page: number;
  readonly inventoryEpoch: string;
}

export type StagingClient = ReturnType<typeof createStagingClient>;

const [open, close] = [Buffer.from('{'), Buffer.from('}')];

/** Stages the pages of a chain in the revision-store, as a scan with a single worker. */
export function createStagingClient(client: InternalClient, timeoutMs: number) {
  const epoch = captureEpoch;

  return {
    /** Read before a page of the inventory is: one that was read before an erasure is not staged after it. */
    async readEpoch(inventory: InventoryKey): Promise<string> {
      const reading = client.call(inventoryApi.readEpoch, { path: inventory }, { timeoutMs });
      return (await withDeadline(reading, timeoutMs, 'reading an epoch')).inventoryEpoch;
    },
    /**
     * Stages the text `{"assets":[…],"descriptions":[…]}` of a page, the form of every scan's pages.
     * Rejects with CallRefused when the page was staged before with other contents (`chunk_conflict`) or
     * its inventory was erased since the epoch was read (`inventory_erased`), otherwise with ServiceUnreachable or DeadlineExceeded when it is not known to be durable.
     */
    async stagePage(
      { scanId, page, inventoryEpoch }: ChainPagePosition,
      members: readonly Buffer[],
    ): Promise<ManifestPage> {
      const text = Buffer.concat([open, ...members, close]);
      const query = { source: 'capture', inventoryEpoch } as const;
      const staging = stagePage(client, { scanId, epoch, page }, text, query, { timeoutMs });
      return await withDeadline(staging, timeoutMs, 'staging a page');
    },
    /** The staged pages of a chain, in order. */
    async listStagedPages(scanId: string): Promise<readonly ManifestPage[]> {
      const path = { scanId, epoch };
      const { pages } = await client.call(inventoryApi.listStagedPages, { path });
      return pages;
    },
  };
}

type Staging = Pick<StagingClient, 'readEpoch' | 'stagePage'>;

const cooldownMs = 5_000;

/**
 * A circuit breaker around staging: a store that does not respond delays one page, not every page.
 * While it is open, pages are refused at once and not captured.
 */
export function openStagingBreaker(staging: Staging, clock: Clock): Staging {
  let cooldownUntilMs = 0;
  async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
    if (clock.now() < cooldownUntilMs)
      throw new StagingBreakerOpen('the revision-store was too slow');
    try {
      return await call();
    } catch (error) {
      if (error instanceof DeadlineExceeded) cooldownUntilMs = clock.now() + cooldownMs;
      throw error;
    }
  }
  return {
    readEpoch: (inventory) => guarded(() => staging.readEpoch(inventory)),
    stagePage: (position, members) => guarded(() => staging.stagePage(position, members)),
  };
}

class StagingBreakerOpen extends Error {
  override name = 'StagingBreakerOpen';
}
