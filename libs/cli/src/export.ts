import type { ExportProgress } from '@inventory/client/options';
import { progressBar } from './progress-bar.ts';
import { type InventoryFlags, inventoryScope, type Session } from './session.ts';

export interface ExportFlags extends InventoryFlags {
  readonly fromRow?: number;
  readonly observation?: string;
}

/** Writes the rows of one saved inventory as lines of JSON. They are whole only where it succeeds. */
export async function exportInventory(
  { cli, client, printer }: Session,
  options: ExportFlags,
  [platformId = '']: readonly string[],
): Promise<void> {
  const { fromRow, language, observation } = options;
  let read: ExportProgress | undefined;
  let written: ExportProgress | undefined;
  let shown = -1;
  const lines = client.exportLines(inventoryScope(platformId, options), {
    ...{ language, fromRow, observationId: observation },
    signal: cli.signal,
    onProgress(progress) {
      read = progress;
      written ??= progress;
    },
  });
  try {
    for await (const line of lines) {
      await cli.write(line);
      written = read;
      cli.signal.throwIfAborted();
      const percent = percentOf(written);
      if (percent !== shown) show(written, percent);
      shown = percent;
    }
  } catch (error) {
    if (written !== undefined) {
      const { row, rows, observationId } = written;
      const rest = `--from-row ${row} --observation ${observationId}`;
      const text = `${row} of ${rows} rows are written: the others, for their price, with ${rest}`;
      printer.note(text, recordOf(written));
    }
    throw error;
  }
  if (read !== undefined) printer.note(`${read.rows} rows of ${read.revisionId}`, recordOf(read));

  function show(progress: ExportProgress | undefined, percent: number): void {
    const text = `${progress?.row} of ${progress?.rows} rows`;
    const step = `${Math.floor(percent / 10) * 10} % of ${progress?.rows} rows`;
    printer.progress((columns) => progressBar(percent / 100, text, columns), step);
  }
}

function percentOf(progress: ExportProgress | undefined): number {
  return progress === undefined ? 0 : Math.floor((progress.row / progress.rows) * 100);
}

/** By the names of the API. */
function recordOf({ row, rows, revisionId, observationId }: ExportProgress) {
  return { row, rows, revision_id: revisionId, observation_id: observationId };
}
