import type { ObservationId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { ExportFormat } from '@inventory/contracts/vocabulary';
import { exportLines, noLines, type UnjoinedLines } from '../domain/export-lines.ts';
import type { Observation } from '../domain/observation.ts';
import {
  fittingRanges,
  nextPosition,
  type PageRequest,
  rangesOfPage,
} from '../domain/page-body.ts';
import type { BlockReading } from '../storage/block-cache.ts';
import { type PageSets, readContent, readOutline, setsOf, toOutline } from './read-blocks.ts';
import { type NoPage, readObserved, type SelectObservationDeps } from './read-observed.ts';

export interface ExportLinesRequest {
  readonly scopeKey: string;
  readonly language: Language;
  readonly format: ExportFormat;
  readonly position: number;
  /** What an export is of; null for the head. */
  readonly observationId: ObservationId | null;
}

export type ExportLines =
  | {
      readonly result: 'page';
      readonly observation: Observation;
      readonly language: Language;
      readonly nextPosition: number | null;
      readonly lines: UnjoinedLines;
    }
  | NoPage;

/** Texts of one run, before they are joined, unless those of one line are larger. */
const runBytesMax = 4 * 1024 * 1024;

/** Has the cache read the block that the next run is in, while this one is sent. */
function readAhead(blocks: BlockReading, sets: PageSets, page: PageRequest): void {
  const [range] = rangesOfPage(page);
  if (range) void readOutline(blocks, sets, range).catch(() => {});
}

/** A run of lines: the assets that are left of one block, or a part of them, and their descriptions. */
export async function readExportLines(
  deps: SelectObservationDeps & { readonly blocks: BlockReading },
  request: ExportLinesRequest,
): Promise<ExportLines> {
  const { scopeKey, position, observationId } = request;
  const pinned = observationId && { observationId, revisionId: null };
  return await readObserved(deps, { scopeKey, pinned }, async (observation) => {
    const { totalCount, blockAssets } = observation.revision;
    if (position > totalCount) return { result: 'beyond_end' };
    const { language, sets } = setsOf(observation, request.language, 'page');
    const page = { position, pageSize: blockAssets, totalCount, blockAssets };
    const [range] = rangesOfPage(page);
    const found = { result: 'page', observation, language } as const;
    if (range === undefined) return { ...found, nextPosition: null, lines: noLines };
    const stored = await readOutline(deps.blocks, sets, range);
    if (stored === null) return null;
    const [fitting = range] = fittingRanges([toOutline(stored)], runBytesMax);
    const part = await readContent(deps.blocks, { ...stored, range: fitting });
    if (part === null) return null;
    const next = nextPosition(page, [fitting]);
    if (next !== null) readAhead(deps.blocks, sets, { ...page, position: next });
    return { ...found, nextPosition: next, lines: exportLines[request.format](part) };
  });
}
