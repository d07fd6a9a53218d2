import type { ObservationId } from '@inventory/contracts/ids';
import type { Language } from '@inventory/contracts/languages';
import type { ExportFormat } from '@inventory/contracts/vocabulary';
import type { LineRun } from '@inventory/http/line-run';
import type { PackedBytes } from '@inventory/runtime/packed-bytes';
import type { Observation } from '../domain/observation.ts';
import {
  type BlockRange,
  fittingRanges,
  nextPosition,
  type PageBounds,
  rangesOfPage,
} from '../domain/page-body.ts';
import type { InventoryReading } from '../reads/open-reading.ts';
import {
  type PageSets,
  readContent,
  readOutline,
  type StoredRange,
  setsOf,
  toOutline,
} from '../reads/read-blocks.ts';
import { type NoPage, readObserved } from '../reads/read-observed.ts';
import { exportLines, noLines } from './export-lines.ts';

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
      readonly lines: LineRun;
    }
  | NoPage;

/** Blocks as they are stored: what is a whole block leaves packed. */
type ExportReading = InventoryReading['exportBlocks'];

/** Texts of a run that is a part of a block, before they are joined, unless those of one line are larger. */
const runBytesMax = 4 * 1024 * 1024;

/** Has the cache read the block that the next run is in, while this one is sent. */
function readAhead(blocks: ExportReading, sets: PageSets, page: PageBounds): void {
  const [range] = rangesOfPage(page);
  if (range) void readOutline(blocks, sets, range).catch(() => {});
}

const asStored = (first: PackedBytes | Buffer) => (Buffer.isBuffer(first) ? [first] : first);

/** The lines of the remainder of a block, as it is stored; null where that is in parts. */
function packedLines({
  range,
  block: { descriptionOf },
  rows,
  texts,
}: StoredRange<PackedBytes | Buffer>): LineRun | null {
  const [assets, descriptions] = [rows.texts, texts.texts];
  if (assets.starts.length > 1 || descriptions.starts.length > 1) return null;
  return {
    assets: { bytes: asStored(assets.first), lengths: assets.lengths },
    descriptions: { bytes: asStored(descriptions.first), lengths: descriptions.lengths },
    descriptionOf,
    firstRow: range.from,
  };
}

/** A run of lines: the assets that are left of one block, or a part of them, and their descriptions. */
export async function readExportLines(
  reading: InventoryReading,
  request: ExportLinesRequest,
): Promise<ExportLines> {
  const { scopeKey, position, observationId, format } = request;
  const pinned = observationId && { observationId, revisionId: null };
  return await readObserved(reading, { scopeKey, pinned }, async (observation) => {
    const { totalCount, blockAssets } = observation.revision;
    if (position > totalCount) return { result: 'beyond_end' };
    const { language, sets } = setsOf(observation, request.language, 'page');
    const page = { position, pageSize: blockAssets, totalCount, blockAssets };
    const [range] = rangesOfPage(page);
    const found = { result: 'page', observation, language } as const;
    if (range === undefined) return { ...found, nextPosition: null, lines: noLines };
    const stored = await readOutline(reading.exportBlocks, sets, range);
    if (stored === null) return null;
    const run = await linesOf(reading.exportBlocks, stored, format);
    if (run === null) return null;
    const next = nextPosition(page, [run.range]);
    if (next !== null) readAhead(reading.exportBlocks, sets, { ...page, position: next });
    return { ...found, nextPosition: next, lines: run.lines };
  });
}

/** Null where parts of the block are gone. */
async function linesOf(
  blocks: ExportReading,
  stored: StoredRange<PackedBytes | Buffer>,
  format: ExportFormat,
): Promise<{ readonly range: BlockRange; readonly lines: LineRun } | null> {
  const packed = format === 'ndjson' ? packedLines(stored) : null;
  if (packed !== null) return { range: stored.range, lines: packed };
  const [range = stored.range] = fittingRanges([toOutline(stored)], runBytesMax);
  const part = await readContent(blocks, { ...stored, range });
  return part && { range, lines: exportLines(part, format) };
}
