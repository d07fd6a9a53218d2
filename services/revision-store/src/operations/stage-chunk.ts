import { chunkBytesMax } from '@inventory/contracts/internal/inventory';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import type { PageSurvey } from '../domain/page-survey.ts';
import { countStagedBytes } from '../metrics.ts';
import type { ArrivedChunk, ChunkPlace, ChunkStore } from '../storage/chunk-store.ts';
import { PagesInvalid } from './read-staged-page.ts';
import { sha256Hex } from './sha256.ts';
import { surveyPage } from './survey-page.ts';

export interface StageChunkDeps {
  readonly chunks: Pick<ChunkStore, 'stageChunk'>;
  readonly clock: Clock;
  /** Surveys pages. */
  readonly executor: SerialExecutor;
}

/**
 * Stores one chunk of a page durably when its content matches its digest. Throws `digest_mismatch` and
 * `chunk_conflict`.
 */
export async function stageChunk(
  { chunks, clock, executor }: StageChunkDeps,
  place: ChunkPlace,
  chunk: Omit<ArrivedChunk, 'survey'>,
): Promise<void> {
  if (sha256Hex(chunk.content) !== chunk.digest) throw new Refused({ code: 'digest_mismatch' });
  const survey = isSurveyed(place, chunk)
    ? await executor.enqueue(() => surveyOrNull(chunk.content))
    : null;
  const { result } = await chunks.stageChunk(place, { ...chunk, survey }, clock.now());
  countStagedBytes(chunk.content.length, result);
  if (result === 'conflict') throw new Refused({ code: 'chunk_conflict' });
}

/** A page of a refresh in one chunk. Of the captures that are staged few are ever completed. */
function isSurveyed({ chunk }: ChunkPlace, { content, source }: Omit<ArrivedChunk, 'survey'>) {
  return source === 'refresh' && chunk === 0 && content.length < chunkBytesMax;
}

/** What is no page is found out by the assembly that it is for. */
function surveyOrNull(content: Buffer): PageSurvey | null {
  try {
    return surveyPage(content);
  } catch (error) {
    if (error instanceof PagesInvalid) return null;
    throw error;
  }
}
