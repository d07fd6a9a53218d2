import { createHash } from 'node:crypto';
import type { ExportEnd } from '@inventory/contracts/http/export';
import { type ExportFormat, exportColumns } from '@inventory/contracts/vocabulary';
import { createLineJoiner } from '@inventory/http/line-run';
import { csvLine } from '@inventory/runtime/csv-text';
import type { OpenedExport } from './open-export.ts';
import type { SavedPage } from './revision-store-client.ts';

/** What is read of an export is gone: it was erased or pruned. */
export class ExportExpired extends Error {
  override name = 'ExportExpired';
}

/**
 * The bytes of an export before any compression: lines, then the end. They are joined as they are taken,
 * so other requests have their turns between; what is taken overwrites what was taken before. The next
 * run is read while one is sent, and no further: a slow client has two in memory. A CSV has its header at
 * row 0, so that what is resumed can be appended; its end is passed to `onEnd` alone.
 */
export async function* exportBody(
  { first, fromRow, rows }: OpenedExport,
  format: ExportFormat,
  findNext: (position: number) => Promise<SavedPage | null>,
  onEnd: (end: ExportEnd) => void,
): AsyncGenerator<Buffer, void, void> {
  const digest = createHash('sha256');
  const join = createLineJoiner(format);
  if (format === 'csv' && fromRow === 0) {
    digest.update(csvHeader);
    yield csvHeader;
  }
  for (let run: SavedPage | null = first; run !== null; ) {
    const next: number | null = run.meta.next_position;
    const coming: Promise<SavedPage | null> | null = next === null ? null : findNext(next);
    // Awaited behind this run, unless the client leaves before.
    coming?.catch(() => {});
    for (const lines of join(run.parts)) {
      digest.update(lines);
      yield lines;
    }
    run = await coming;
    if (coming !== null && run === null) throw new ExportExpired('no longer saved');
  }
  const end = { revision_id: first.meta.revision_id, rows, sha256: digest.digest('hex') };
  onEnd(end);
  if (format === 'ndjson') yield Buffer.from(`${JSON.stringify({ end })}\n`);
}

const csvHeader = Buffer.from(csvLine([...exportColumns.asset, ...exportColumns.description]));
