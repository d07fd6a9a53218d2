import {
  type CurrentPageMeta,
  currentPageMeta,
  pageChunksMax,
  scanPagesMax,
} from '@inventory/contracts/internal/inventory';
import { type Scope, scope } from '@inventory/contracts/scope';
import { isoTime } from '@inventory/runtime/clock';
import { z } from 'zod';
import type { CurrentPage } from '../operations/read-current-page.ts';
import type { ChunkPlace } from '../storage/chunk-store.ts';

/** A whole number as it is written in a path: canonical decimals only. */
const decimal = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^(0|[1-9][0-9]{0,9})$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));

const scopePath = z
  .object({
    platform_id: z.string(),
    app_id: decimal(0, Number.MAX_SAFE_INTEGER),
    context_id: decimal(0, Number.MAX_SAFE_INTEGER),
  })
  .pipe(scope);

const chunkPath = z.object({
  scan_id: z.uuid(),
  epoch: decimal(1, 2 ** 31 - 1),
  page: decimal(0, scanPagesMax - 1),
  chunk: decimal(0, pageChunksMax - 1),
});

export function fromScopePath(params: unknown): Scope {
  return scopePath.parse(params);
}

export function fromEpochPath(params: unknown): Pick<ChunkPlace, 'scanId' | 'epoch'> {
  const { scan_id: scanId, epoch } = chunkPath.pick({ scan_id: true, epoch: true }).parse(params);
  return { scanId, epoch };
}

export function fromChunkPath(params: unknown): ChunkPlace {
  const { scan_id: scanId, epoch, page, chunk } = chunkPath.parse(params);
  return { scanId, epoch, page, chunk };
}

export const chunkDigest = z.string().regex(/^[0-9a-f]{64}$/, 'must be SHA-256 in hex');

export function toCurrentPageMeta(
  of: Scope,
  page: Extract<CurrentPage, { result: 'page' }>,
): CurrentPageMeta {
  const { observation, language, nextPosition } = page;
  const { revision, window } = observation;
  const completedAt = isoTime(window.completedAtMs);
  return currentPageMeta.parse({
    scope: of,
    revision_id: revision.revisionId,
    observation_id: observation.observationId,
    verified_at: completedAt,
    scan_window: { started_at: isoTime(window.startedAtMs), completed_at: completedAt },
    total_count: revision.totalCount,
    total_amount: revision.totalAmount,
    reported_total_count: observation.reportedTotalCount,
    language,
    next_position: nextPosition,
  });
}
