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
import { Refused } from '@inventory/http/refused';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { z } from 'zod';
import type { InventoryEpoch } from '../domain/observation.ts';
import { cutLists } from '../domain/page-lists.ts';
import { sha256Hex } from '../domain/sha256.ts';
import { countStagedBytes } from '../metrics.ts';
import type { ArrivedChunk, ChunkPosition, ReadChunk } from '../storage/chunk-store.ts';
import type { Scanning } from './open-scanning.ts';
import { PagesInvalid, surveyPage } from './read-staged-page.ts';

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

const nothingRead: ReadChunk = { survey: null, lists: null };

/**
 * Stores one chunk of a page durably when its content matches its digest. Throws `digest_mismatch`,
 * `chunk_conflict`, and `inventory_erased` where its inventory was erased since its reader read the
 * epoch. The epoch is compared once the chunk is stored: an erasure begins the next epoch before it
 * deletes chunks, so one of the two finds it.
 */
export async function stageChunk(
  { chunks, scopes, clock, contents, executor }: Scanning,
  position: ChunkPosition,
  chunk: ArrivedChunk,
): Promise<void> {
  if (sha256Hex(chunk.content) !== chunk.digest) throw new Refused({ code: 'digest_mismatch' });
  const read =
    isSurveyed(position, chunk) && !contents.hasPage(chunk.digest)
      ? await executor.enqueue(() => readContent(chunk.content))
      : nothingRead;
  const { result } = await chunks.stageChunk(position, chunk, read, clock.now());
  countStagedBytes(chunk.content.length, result);
  if (chunk.of && (await scopes.readEpoch(chunk.of.scope)) > chunk.of.epoch) {
    await chunks.dropChunk(position);
    throw new Refused({ code: 'inventory_erased' });
  }
  if (result === 'conflict') throw new Refused({ code: 'chunk_conflict' });
}

/**
 * A page of a refresh in one chunk. Of the captures that are staged few are ever completed, and what is
 * known of a page is mostly what the head has.
 */
function isSurveyed({ chunk }: ChunkPosition, { content, source }: ArrivedChunk) {
  return source === 'refresh' && chunk === 0 && content.length < chunkBytesMax;
}

/** What is no page is found out by the assembly that it is for. */
function readContent(content: Buffer): ReadChunk {
  try {
    const survey = surveyPage(content);
    return { survey, lists: cutLists(content, survey) };
  } catch (error) {
    if (error instanceof PagesInvalid) return nothingRead;
    throw error;
  }
}
