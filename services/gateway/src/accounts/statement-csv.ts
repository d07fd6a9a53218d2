import { type StatementRow, statementRow } from '@inventory/contracts/internal/ledger';
import { csvLine } from '@inventory/runtime/csv-text';

const columns = Object.keys(statementRow.shape) as (keyof StatementRow)[];

/** A header line and one line per row; null is empty. */
export function statementCsv(rows: readonly StatementRow[]): string {
  const lines = rows.map((row) => csvLine(columns.map((column) => row[column])));
  return [csvLine(columns), ...lines].join('');
}
