import type { Clock } from '@inventory/runtime/clock';
import { countStagedBytes } from '../metrics.ts';
import type {
  ArrivedChunk,
  ChunkPlace,
  ChunkStore,
  StagingResult,
} from '../storage/chunk-store.ts';
import { sha256Hex } from './sha256.ts';

export interface ChunkStaging {
  readonly chunks: Pick<ChunkStore, 'stage'>;
  readonly clock: Clock;
}

/** Keeps one chunk of a page durably, if it is what its digest says. */
export async function stageChunk(
  { chunks, clock }: ChunkStaging,
  place: ChunkPlace,
  chunk: ArrivedChunk,
): Promise<StagingResult | 'digest_mismatch'> {
  if (sha256Hex(chunk.content) !== chunk.digest) return 'digest_mismatch';
  const result = await chunks.stage(place, chunk, clock.now());
  countStagedBytes(chunk.content.length, result);
  return result;
}
