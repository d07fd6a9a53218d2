import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import { countStagedBytes } from '../metrics.ts';
import type { ArrivedChunk, ChunkPlace, ChunkStore } from '../storage/chunk-store.ts';
import { sha256Hex } from './sha256.ts';

export interface StageChunkDeps {
  readonly chunks: Pick<ChunkStore, 'stageChunk'>;
  readonly clock: Clock;
}

/**
 * Stores one chunk of a page durably when its content matches its digest. Throws `digest_mismatch` and
 * `chunk_conflict`.
 */
export async function stageChunk(
  { chunks, clock }: StageChunkDeps,
  place: ChunkPlace,
  chunk: ArrivedChunk,
): Promise<void> {
  if (sha256Hex(chunk.content) !== chunk.digest) throw new Refused({ code: 'digest_mismatch' });
  const { result } = await chunks.stageChunk(place, chunk, clock.now());
  countStagedBytes(chunk.content.length, result);
  if (result === 'conflict') throw new Refused({ code: 'chunk_conflict' });
}
