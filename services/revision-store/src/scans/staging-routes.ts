import {
  chunkBytesMax,
  chunkDigestHeader,
  chunkPath,
  inventoryApi,
  inventoryPaths,
  stagingQuery,
} from '@inventory/contracts/internal/inventory';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { z } from 'zod';
import type { InventoryEpoch } from '../domain/observation.ts';
import type { Scanning } from './open-scanning.ts';
import { stageChunk } from './stage-chunk.ts';

/** 204 once the chunk is durable. */
export const putChunkRoute = internalRoute({
  method: 'PUT',
  template: inventoryPaths.chunk,
  callers: ['gateway', 'refresh-collector'],
  input: {
    path: chunkPath,
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
  async handle(scanning: Scanning, { path, query, header, body }) {
    const { source, inventoryEpoch } = query;
    const of = inventoryEpoch === null ? null : fromEpochText(inventoryEpoch);
    const chunk = { digest: header[chunkDigestHeader], content: body, source, of };
    await stageChunk(scanning, path, chunk);
    freeBytes(body);
  },
});

/** Read before a page is read from the platform, and sent with it. */
export const readEpochRoute = internalRoute({
  ...inventoryApi.readEpoch,
  async handle({ scopes }: Scanning, { path }) {
    const scope = inventoryKeyText(path);
    return { inventoryEpoch: toEpochText({ scope, epoch: await scopes.readEpoch(scope) }) };
  },
});

const toEpochText = ({ scope, epoch }: InventoryEpoch): string => `${scope}/${epoch}`;

function fromEpochText(text: string): InventoryEpoch {
  const end = text.lastIndexOf('/');
  return { scope: text.slice(0, end), epoch: Number(text.slice(end + 1)) };
}

/** The manifest of the staged pages. */
export const listPagesRoute = internalRoute({
  ...inventoryApi.listStagedPages,
  handle: async ({ chunks }: Scanning, { path }) => ({
    pages: await chunks.listPages(path.scanId, path.epoch),
  }),
});
