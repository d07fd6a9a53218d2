import { type ExportFormat, exportColumns } from '@inventory/contracts/vocabulary';
import { csvCells } from '@inventory/runtime/csv-text';
import { joinPieces, joinTexts, pickFromParts, sliceParts, type TextPart } from './joined-texts.ts';
import { neededLocals, type PagePart } from './page-body.ts';

/** Texts in pieces, a comma between two of them; one of length 0 takes none. */
interface LineTexts {
  readonly pieces: readonly Buffer[];
  readonly lengths: Uint32Array;
}

/** What the lines of a run are joined from: the text of each asset, and each description once. */
export interface UnjoinedLines {
  readonly assets: LineTexts;
  readonly descriptions: LineTexts;
  readonly descriptionOf: Uint16Array;
}

const noTexts: LineTexts = { pieces: [], lengths: new Uint32Array() };
export const noLines: UnjoinedLines = {
  assets: noTexts,
  descriptions: noTexts,
  descriptionOf: new Uint16Array(),
};

/** The texts for a line for each row of a range, in its order. */
export const exportLines: Readonly<Record<ExportFormat, (part: PagePart) => UnjoinedLines>> = {
  ndjson: ndjsonLines,
  csv: csvLines,
};

/** As stored: slices, which are not copied. */
function ndjsonLines(part: PagePart): UnjoinedLines {
  const { from, to } = part.range;
  const { assets, texts, descriptionOf } = part.content;
  const needed = neededLocals(part.range, part.content);
  return {
    assets: {
      pieces: onOneLine(sliceParts(assets, from, to)),
      lengths: lengthsOf(assets, to, () => true).subarray(from),
    },
    descriptions: {
      pieces: onOneLine(pickFromParts(texts, (local) => needed.has(local))),
      lengths: lengthsOf(texts, 1 + Math.max(...needed), (local) => needed.has(local)),
    },
    descriptionOf: descriptionOf.slice(from, to),
  };
}

/** 0 for a row that is not wanted, or missing. */
function lengthsOf(
  parts: readonly TextPart[],
  rows: number,
  wanted: (row: number) => boolean,
): Uint32Array {
  const lengths = new Uint32Array(rows);
  for (const { from, joined } of parts) {
    for (const [index, length] of joined.lengths.subarray(0, Math.max(0, rows - from)).entries()) {
      if (wanted(from + index)) lengths[from + index] = length;
    }
  }
  return lengths;
}

const [lineFeed, carriageReturn, space] = [0x0a, 0x0d, 0x20];

/** As stored, JSON may be broken between its tokens; within its texts line breaks are escaped. */
function onOneLine(pieces: readonly Buffer[]): Buffer[] {
  return joinPieces(pieces).map((bytes) => {
    if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
    return Buffer.from(
      bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte)),
    );
  });
}

/** Cells in place of texts, those of a description that is missing too. */
function csvLines(part: PagePart): UnjoinedLines {
  const { assets, descriptions, descriptionOf } = ndjsonLines(part);
  return {
    assets: cellsOf(assets, exportColumns.asset),
    descriptions: cellsOf(descriptions, exportColumns.description),
    descriptionOf,
  };
}

function cellsOf({ pieces, lengths }: LineTexts, columns: readonly string[]): LineTexts {
  const rows = (JSON.parse(`[${Buffer.concat(pieces)}]`) as Row[]).values();
  const cells = Array.from(lengths, (length) => {
    const row = (length > 0 && rows.next().value) || {};
    return Buffer.from(csvCells(columns.map((column) => cellOf(row[column]))));
  });
  const { bytes, lengths: cellLengths } = joinTexts(cells);
  return { pieces: [bytes], lengths: cellLengths };
}

type Row = Readonly<Record<string, unknown>>;

function cellOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
