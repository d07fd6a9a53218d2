import { inventoryPaths, stagedPages } from '@inventory/contracts/internal/inventory';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { stagePage } from '@inventory/http/stage-page';
import type { Clock } from '@inventory/runtime/clock';
import { DeadlineExceeded, withDeadline } from '@inventory/runtime/wait';
import { captureEpoch } from './capture.domain.ts';
import type { StagedPage } from './live-chain.domain.ts';

export type StagingClient = ReturnType<typeof createStagingClient>;

const [open, close] = [Buffer.from('{'), Buffer.from('}')];

/** Stages the pages of a chain in the revision-store, as a scan with a single worker. */
export function createStagingClient(client: InternalClient, timeoutMs: number) {
  const epoch = captureEpoch;
  const options = { query: { source: 'capture' }, timeoutMs };

  return {
    /**
     * Stages the text `{"assets":[…],"descriptions":[…]}` of a page, the form of every scan's pages.
     * Rejects with CallRefused (`chunk_conflict`) when the page was staged before with other contents,
     * otherwise with ServiceUnreachable or DeadlineExceeded when it is not known to be durable.
     */
    async stagePage(scanId: string, page: number, members: readonly Buffer[]): Promise<StagedPage> {
      const text = Buffer.concat([open, ...members, close]);
      const staging = stagePage(client, { scanId, epoch, page }, text, options);
      const { chunks } = await withDeadline(staging, timeoutMs, 'staging a page');
      return { page, chunks };
    },
    /** The staged pages of a chain, in order. */
    async listStagedPages(scanId: string): Promise<readonly StagedPage[]> {
      const { pages } = await client.json(stagedPages, {
        method: 'GET',
        path: pathOf(inventoryPaths.stagedPages, { scan_id: scanId, epoch }),
      });
      return pages.map(({ page, chunks }) => ({ page, chunks }));
    },
  };
}

type Staging = Pick<StagingClient, 'stagePage'>;

const restMs = 5_000;

/**
 * A circuit breaker around staging: a store that does not respond delays one page, not every page.
 * While it is open, pages are refused at once and not captured.
 */
export function openStagingBreaker(staging: Staging, clock: Clock): Staging {
  let restsUntilMs = 0;
  return {
    async stagePage(chainId, page, members) {
      if (clock.now() < restsUntilMs)
        throw new StagingBreakerOpen('the revision-store was too slow');
      try {
        return await staging.stagePage(chainId, page, members);
      } catch (error) {
        if (error instanceof DeadlineExceeded) restsUntilMs = clock.now() + restMs;
        throw error;
      }
    },
  };
}

class StagingBreakerOpen extends Error {
  override name = 'StagingBreakerOpen';
}
