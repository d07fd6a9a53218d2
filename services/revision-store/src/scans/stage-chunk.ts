import { chunkBytesMax } from '@inventory/contracts/internal/inventory';
import { Refused } from '@inventory/http/refused';
import { cutLists } from '../domain/page-lists.ts';
import { sha256Hex } from '../domain/sha256.ts';
import { countStagedBytes } from '../metrics.ts';
import type { ArrivedChunk, ChunkPlace, ReadChunk } from '../storage/chunk-store.ts';
import type { Scanning } from './open-scanning.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { surveyPage } from './survey-page.ts';

const nothingRead: ReadChunk = { survey: null, lists: null };

/**
 * Stores one chunk of a page durably when its content matches its digest. Throws `digest_mismatch`,
 * `chunk_conflict`, and `inventory_erased` where its inventory was erased since its reader read the
 * epoch. The epoch is compared once the chunk is stored: an erasure begins the next epoch before it
 * deletes chunks, so one of the two finds it.
 */
export async function stageChunk(
  { chunks, scopes, clock, contents, executor }: Scanning,
  place: ChunkPlace,
  chunk: ArrivedChunk,
): Promise<void> {
  if (sha256Hex(chunk.content) !== chunk.digest) throw new Refused({ code: 'digest_mismatch' });
  const read =
    isSurveyed(place, chunk) && !contents.hasPage(chunk.digest)
      ? await executor.enqueue(() => readContent(chunk.content))
      : nothingRead;
  const { result } = await chunks.stageChunk(place, chunk, read, clock.now());
  countStagedBytes(chunk.content.length, result);
  if (chunk.of && (await scopes.readEpoch(chunk.of.scope)) > chunk.of.epoch) {
    await chunks.dropChunk(place);
    throw new Refused({ code: 'inventory_erased' });
  }
  if (result === 'conflict') throw new Refused({ code: 'chunk_conflict' });
}

/**
 * A page of a refresh in one chunk. Of the captures that are staged few are ever completed, and what is
 * known of a page is mostly what the head has.
 */
function isSurveyed({ chunk }: ChunkPlace, { content, source }: ArrivedChunk) {
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
