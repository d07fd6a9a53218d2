import { canonicalDecimal } from '@inventory/contracts/http/parameters';
import {
  chunkBytesMax,
  chunkDigestHeader,
  inventoryPaths,
  pageChunksMax,
  scanPagesMax,
  stagedPages,
  stagingQuery,
} from '@inventory/contracts/internal/inventory';
import { internalRoute } from '@inventory/http/internal-route';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { z } from 'zod';
import { type StageChunkDeps, stageChunk } from '../operations/stage-chunk.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';

/** Path parameters that name what one worker stages of a scan. */
const epochPath = z.object({ scan_id: z.uuid(), epoch: canonicalDecimal(1, 2 ** 31 - 1) });

/** 204 once the chunk is durable. */
export const putChunkRoute = internalRoute({
  method: 'PUT',
  template: inventoryPaths.chunk,
  callers: ['gateway', 'refresh-collector'],
  input: {
    path: epochPath.extend({
      page: canonicalDecimal(0, scanPagesMax - 1),
      chunk: canonicalDecimal(0, pageChunksMax - 1),
    }),
    query: stagingQuery,
    header: z.object({
      [chunkDigestHeader]: z.string().regex(/^[0-9a-f]{64}$/, 'must be SHA-256 in hex'),
    }),
    body: z.instanceof(Buffer).refine((bytes) => bytes.length > 0, 'must not be empty'),
  },
  bodyType: 'bytes',
  bodyBytesMax: chunkBytesMax,
  status: 204,
  inFlightMax: 16,
  async handle(deps: StageChunkDeps, { path, query, header, body }) {
    const { scan_id: scanId, ...place } = path;
    const chunk = { digest: header[chunkDigestHeader], content: body, source: query.source };
    await stageChunk(deps, { scanId, ...place }, chunk);
    freeBytes(body);
  },
});

/** The manifest of the staged pages. */
export const listPagesRoute = internalRoute({
  method: 'GET',
  template: inventoryPaths.stagedPages,
  callers: ['gateway'],
  input: { path: epochPath },
  answer: stagedPages,
  handle: async ({ chunks }: { readonly chunks: Pick<ChunkStore, 'listPages'> }, { path }) => ({
    pages: await chunks.listPages(path.scan_id, path.epoch),
  }),
});
