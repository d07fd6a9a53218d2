import type { StatementRow } from '@inventory/contracts/internal/ledger';
import { newProjectId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { statementCsv } from './statement-csv.ts';

const row: StatementRow = {
  entryId: 'e1',
  atMs: Date.UTC(2026, 0, 1),
  kind: 'adjust',
  asset: 'credits',
  changeAvailable: -5,
  changeHeld: 0,
  availableAfter: 95,
  heldAfter: 0,
  productCode: null,
  priceVersion: null,
  projectId: newProjectId(),
  refreshId: newRefreshId(),
  requestId: newRequestId(),
  reason: null,
};

test('the columns of a statement are those the contract names, in its order', () => {
  expect(statementCsv([])).toBe(
    'entry_id,at,kind,asset,change_available,change_held,available_after,held_after,' +
      'product_code,price_version,project_id,refresh_id,request_id,reason\r\n',
  );
});

test('numbers stay numbers, and what is absent is empty', () => {
  expect(statementCsv([row]).split('\r\n')[1]).toBe(
    `e1,2026-01-01T00:00:00.000Z,adjust,credits,-5,0,95,0,,,${row.projectId},${row.refreshId},${row.requestId},`,
  );
});

test.each([
  ['paid twice, "sorry"', '"paid twice, ""sorry"""'],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['-5 as agreed', "'-5 as agreed"],
])('the reason %s cannot break out of its cell or run in a spreadsheet', (reason, cell) => {
  expect(statementCsv([{ ...row, reason }]).endsWith(`,${cell}\r\n`)).toBe(true);
});
