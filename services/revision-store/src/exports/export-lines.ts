import { type ExportFormat, exportColumns } from '@inventory/contracts/vocabulary';
import type { LineRun, RunTexts } from '@inventory/http/line-run';
import { type CsvCell, csvCells } from '@inventory/runtime/csv-text';
import {
  findName,
  type JsonText,
  type Names,
  namesOf,
  openJsonText,
  readObject,
  skipValue,
  textBetween,
} from '@inventory/runtime/json-text';
import {
  joinPieces,
  joinTexts,
  pickFromParts,
  sliceParts,
  type TextPart,
} from '../domain/joined-texts.ts';
import { neededLocals, type PagePart } from '../domain/page-body.ts';

const noTexts = { bytes: [], lengths: new Uint32Array() };
export const noLines: LineRun = {
  assets: noTexts,
  descriptions: noTexts,
  descriptionOf: new Uint16Array(),
  firstRow: 0,
};

/** What the lines of a range are joined from, in its order. */
export function exportLines(part: PagePart, format: ExportFormat): LineRun {
  const { from, to } = part.range;
  const { assets, texts, descriptionOf } = part.content;
  const needed = neededLocals(part.range, part.content);
  const rows: LineTexts = {
    pieces: joinPieces(sliceParts(assets, from, to)),
    lengths: lengthsOf(assets, to, () => true).subarray(from),
  };
  const descriptions: LineTexts = {
    pieces: joinPieces(pickFromParts(texts, (local) => needed.has(local))),
    lengths: lengthsOf(texts, 1 + Math.max(...needed), (local) => needed.has(local)),
  };
  return {
    assets: runTexts[format](rows, exportColumns.asset),
    descriptions: runTexts[format](descriptions, exportColumns.description),
    descriptionOf: descriptionOf.slice(from, to),
    firstRow: 0,
  };
}

interface LineTexts {
  readonly pieces: readonly Buffer[];
  readonly lengths: Uint32Array;
}

/** As stored: slices, which are not copied; or cells, those of a description that is missing too. */
const runTexts: Readonly<
  Record<ExportFormat, (texts: LineTexts, columns: readonly string[]) => RunTexts>
> = {
  ndjson: ({ pieces, lengths }) => ({ bytes: pieces, lengths }),
  csv: cellsOf,
};

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

function cellsOf({ pieces, lengths }: LineTexts, columns: readonly string[]): RunTexts {
  const text = openJsonText(Buffer.concat(pieces));
  const names = namesOf(columns);
  let at = 0;
  const cells = Array.from(lengths, (length) => {
    const row: CsvCell[] = columns.map(() => null);
    if (length > 0) {
      readCells(text, at, names, row);
      at += length + 1;
    }
    return Buffer.from(csvCells(row));
  });
  const { bytes, lengths: cellLengths } = joinTexts(cells);
  return { bytes: [bytes], lengths: cellLengths };
}

/** Texts, and numbers with their digits, by their names; other values leave their cells empty. */
function readCells(text: JsonText, start: number, names: Names, row: CsvCell[]): void {
  const { bytes } = text;
  readObject(text, start, (nameStart, nameEnd, from) => {
    const column = findName(text, nameStart, nameEnd, names);
    const to = skipValue(text, from);
    const first = String.fromCharCode(bytes[from] ?? 0);
    if (column < 0) return to;
    if (first === '"') row[column] = textBetween(bytes, from + 1, to - 1);
    else if (/[-0-9]/.test(first)) row[column] = bytes.toString('latin1', from, to);
    return to;
  });
}
