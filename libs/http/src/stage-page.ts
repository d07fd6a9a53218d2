import { createHash } from 'node:crypto';
import {
  chunkBytesMax,
  chunkDigestHeader,
  chunkPath,
  inventoryPaths,
  type StagingQuery,
  stagingQuery,
} from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { z } from 'zod';
import { longCalls } from './call-lanes.ts';
import { type InternalCall, type InternalClient, ServiceUnreachable } from './internal-client.ts';
import { pathOf } from './path-of.ts';

/** A page of a scan, and which of its workers read it. */
export interface PagePosition {
  readonly scanId: string;
  readonly epoch: number;
  readonly page: number;
}

/**
 * Stages the text `{"assets":[…],"descriptions":[…]}` of a page in the revision-store, and resolves
 * with its entry of the manifest once it is durable. The text is freed then.
 */
export async function stagePage(
  client: InternalClient,
  position: PagePosition,
  text: Buffer,
  wanted: StagingQuery,
  options: Partial<InternalCall> = {},
): Promise<ManifestPage> {
  const query = z.encode(stagingQuery, wanted);
  const chunks: ManifestPage['chunks'] = [];
  const puts: Promise<void>[] = [];
  for (let start = 0; start < text.length; start += chunkBytesMax) {
    const body = text.subarray(start, start + chunkBytesMax);
    const digest = createHash('sha256').update(body).digest('hex');
    const chunk = z.encode(chunkPath, { ...position, chunk: chunks.length });
    const path = pathOf(inventoryPaths.chunk, chunk);
    const headers = { [chunkDigestHeader]: digest, 'content-type': 'application/octet-stream' };
    const call = { ...options, method: 'PUT', path, query, headers, body } as const;
    puts.push(putTwice(client, { ...call, lane: longCalls }));
    chunks.push({ digest, bytes: body.length });
  }
  await Promise.all(puts);
  freeBytes(text);
  return { page: position.page, epoch: position.epoch, chunks };
}

/** A repeated chunk changes nothing, and the store may have closed an idle connection. */
async function putTwice(client: InternalClient, call: InternalCall): Promise<void> {
  await client.bytes(call).catch((error: unknown) => {
    if (error instanceof ServiceUnreachable) return client.bytes(call);
    throw error;
  });
}
