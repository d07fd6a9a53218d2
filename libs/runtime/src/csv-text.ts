/** A line of RFC 4180, with its CRLF. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${csvCells(cells)}\r\n`;
}

export type CsvCell = string | number | null;

/** A part of a line. */
export function csvCells(cells: readonly CsvCell[]): string {
  return cells.map(cellOf).join(',');
}

function cellOf(value: CsvCell): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = inert(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet begins a formula with, also in full width and after what it passes over. */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u;
const number = /^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** A spreadsheet evaluates a formula; an apostrophe before it prevents that. Numbers stay numbers. */
function inert(text: string): string {
  return formula.test(text) && !number.test(text) ? `'${text}` : text;
}
