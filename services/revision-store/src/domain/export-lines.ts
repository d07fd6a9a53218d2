import { type ExportFormat, exportColumns } from '@inventory/contracts/vocabulary';
import { csvLine } from '@inventory/runtime/csv-text';
import type { TextPart } from './joined-texts.ts';
import type { BlockRange, OutlinedRange, PagePart } from './page-body.ts';

const [beforeAsset, beforeDescription, end] = ['{"asset":', ',"description":', '}\n'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer];
const missing = Buffer.from('null');
const frameBytes = beforeAsset.length + beforeDescription.length + end.length;

function lineBytes({ outline }: OutlinedRange, row: number): number {
  const text = outline.textLengths[outline.descriptionOf[row] ?? 0] || missing.length;
  return frameBytes + (outline.assetLengths[row] ?? 0) + text;
}

/** The first rows of a range whose lines are no larger than `bytesMax` together: at least one. */
export function fittingLines(outlined: OutlinedRange, bytesMax: number): BlockRange {
  const { range } = outlined;
  let bytes = 0;
  for (let row = range.from; row < range.to; row += 1) {
    bytes += lineBytes(outlined, row);
    if (bytes > bytesMax && row > range.from) return { ...range, to: row };
  }
  return range;
}

/** A line for each row of a range, in its order: the asset with its description. */
export const exportLines: Readonly<Record<ExportFormat, (part: PagePart) => Buffer>> = {
  ndjson: ndjsonLines,
  csv: csvLines,
};

/** `{"asset":…,"description":…}` of the stored texts; `null` where there is no description. */
function ndjsonLines({ range, content }: PagePart): Buffer {
  const assets = locate(content.assets);
  const texts = locate(content.texts);
  let size = 0;
  for (let row = range.from; row < range.to; row += 1) {
    const text = texts(content.descriptionOf[row] ?? 0) ?? missing;
    size += frameBytes + (assets(row) ?? missing).length + text.length;
  }
  const lines = Buffer.allocUnsafe(size);
  let at = 0;
  for (let row = range.from; row < range.to; row += 1) {
    const text = texts(content.descriptionOf[row] ?? 0) ?? missing;
    for (const piece of [beforeAsset, assets(row) ?? missing, beforeDescription, text, end]) {
      lines.set(piece, at);
      at += piece.length;
    }
  }
  return lines;
}

function csvLines({ range, content }: PagePart): Buffer {
  const assets = locate(content.assets);
  const texts = locate(content.texts);
  const described = new Map<number, Cell[]>();
  const lines: string[] = [];
  for (let row = range.from; row < range.to; row += 1) {
    const local = content.descriptionOf[row] ?? 0;
    const ofDescription = described.get(local) ?? cellsOf(texts(local), exportColumns.description);
    described.set(local, ofDescription);
    lines.push(csvLine([...cellsOf(assets(row), exportColumns.asset), ...ofDescription]));
  }
  return Buffer.from(lines.join(''));
}

type Cell = string | number | null;

function cellsOf(text: Buffer | undefined, columns: readonly string[]): Cell[] {
  const row = text === undefined ? {} : JSON.parse(text.toString());
  return columns.map((column) => {
    const value = row[column];
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  });
}

/** Finds the text of a row; undefined for one that is missing. */
function locate(parts: readonly TextPart[]): (row: number) => Buffer | undefined {
  const located = parts.map(({ from, joined: { bytes, lengths } }) => {
    const oneLine = withoutLineBreaks(bytes);
    let offset = 0;
    const texts = Array.from(lengths, (length) => {
      const start = offset;
      if (length > 0) offset += length + 1;
      return length > 0 ? oneLine.subarray(start, start + length) : undefined;
    });
    return { from, texts };
  });
  return (row) => {
    const part = located.findLast(({ from }) => from <= row);
    return part?.texts[row - part.from];
  };
}

const [lineFeed, carriageReturn, space] = [0x0a, 0x0d, 0x20];

/** As stored, JSON may be broken between its tokens; within its texts line breaks are escaped. */
function withoutLineBreaks(bytes: Buffer): Buffer {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return Buffer.from(
    bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte)),
  );
}
