import { createHash } from 'node:crypto';
import {
  chunkBytesMax,
  chunkDigestHeader,
  inventoryPaths,
  stagedPages,
} from '@inventory/contracts/internal/inventory';
import { type InternalClient, ServiceUnreachable } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import { withDeadline } from '@inventory/runtime/wait';
import { captureEpoch } from './capture.domain.ts';
import type { StagedPage } from './live-chain.domain.ts';

/** Stages the pages of a chain in the revision-store, as a scan with a single worker. */
export interface StagingClient {
  /**
   * Stages the text `{"assets":[…],"descriptions":[…]}` of a page, the form of every scan's pages.
   * Rejects with CallRefused (`chunk_conflict`) when the page was staged before with other contents,
   * otherwise with ServiceUnreachable or DeadlineExceeded when it is not known to be durable.
   */
  stagePage(chainId: string, page: number, members: Buffer): Promise<StagedPage>;
  /** The staged pages of a chain, in order. */
  listStagedPages(chainId: string): Promise<readonly StagedPage[]>;
}

const [open, close] = [Buffer.from('{'), Buffer.from('}')];

export function createStagingClient(client: InternalClient, timeoutMs: number): StagingClient {
  const place = (chainId: string) => ({ scan_id: chainId, epoch: captureEpoch });

  async function putChunk(path: string, body: Buffer, digest: string): Promise<void> {
    const put = () =>
      client.bytes({
        method: 'PUT',
        path,
        query: { source: 'capture' },
        headers: { [chunkDigestHeader]: digest, 'content-type': 'application/octet-stream' },
        body,
        timeoutMs,
      });
    // A repeated chunk changes nothing, and the store may have closed an idle connection.
    await put().catch((error: unknown) => {
      if (error instanceof ServiceUnreachable) return put();
      throw error;
    });
  }

  async function putPage(chainId: string, page: number, text: Buffer): Promise<StagedPage> {
    const chunks: { digest: string; bytes: number }[] = [];
    const puts: Promise<void>[] = [];
    for (let start = 0; start < text.length; start += chunkBytesMax) {
      const chunk = text.subarray(start, start + chunkBytesMax);
      const digest = createHash('sha256').update(chunk).digest('hex');
      const named = { ...place(chainId), page, chunk: chunks.length };
      puts.push(putChunk(pathOf(inventoryPaths.chunk, named), chunk, digest));
      chunks.push({ digest, bytes: chunk.length });
    }
    await Promise.all(puts);
    return { page, chunks };
  }

  return {
    stagePage: (chainId, page, members) =>
      withDeadline(
        putPage(chainId, page, Buffer.concat([open, members, close])),
        timeoutMs,
        'staging a page',
      ),
    async listStagedPages(chainId) {
      const listed = await client.json(stagedPages, {
        method: 'GET',
        path: pathOf(inventoryPaths.stagedPages, place(chainId)),
      });
      return listed.pages.map(({ page, chunks }) => ({ page, chunks }));
    },
  };
}
