import { type StatementRow, statementRow } from '@inventory/contracts/internal/ledger';
import { csvLine } from '@inventory/runtime/csv-text';
import { z } from 'zod';

const columns = Object.keys(statementRow.in.shape) as (keyof z.input<typeof statementRow>)[];

/** A header line and one line per row; null is empty. */
export function statementCsv(rows: readonly StatementRow[]): string {
  const lines = rows
    .map((row) => z.encode(statementRow, row))
    .map((row) => csvLine(columns.map((column) => row[column])));
  return [csvLine(columns), ...lines].join('');
}
