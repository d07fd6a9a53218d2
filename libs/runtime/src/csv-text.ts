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

/** A spreadsheet evaluates text that begins like a formula; a leading apostrophe prevents it. */
function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
