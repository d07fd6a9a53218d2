import { type StatementRow, statementRow } from '@inventory/contracts/internal/ledger';

const columns = Object.keys(statementRow.shape) as (keyof StatementRow)[];

/** RFC 4180: a header line, one line per row, CRLF; null is empty. */
export function statementCsv(rows: readonly StatementRow[]): string {
  const lines = rows.map((row) => columns.map((column) => cellOf(row[column])).join(','));
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

function cellOf(value: StatementRow[keyof StatementRow]): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = inert(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet evaluates text that begins like a formula; a leading apostrophe prevents it. */
function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
