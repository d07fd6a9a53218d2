import { accountStatement, statementQuery } from '@inventory/contracts/http/account';
import { plainMeta } from '@inventory/contracts/http/meta';
import { statementRow } from '@inventory/contracts/internal/ledger';
import { z } from 'zod';
import { exampleCursor, exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { listParts } from '../http/sealed-cursor.ts';
import type { AccountServices } from './account-services.ts';
import { statementCsv } from './statement-csv.ts';

const template = '/v2/account/statement';
const csvType = 'text/csv';
const position = z.int().min(0);

const rowExample = {
  entry_id: '42',
  at: '2026-01-15T10:00:00.000Z',
  kind: 'charge',
  asset: 'credits',
  change_available: -1,
  change_held: 0,
  available_after: 996,
  held_after: 125,
  product_code: 'platform.inventory.page.v1',
  price_version: 1,
  project_id: exampleIds.project,
  refresh_id: null,
  request_id: exampleIds.request,
  reason: null,
} as const;

/** GET /v2/account/statement: every entry of the account's journal, as JSON or CSV. */
export const readStatementRoute = publicRoute({
  operationId: 'readStatement',
  tag: 'Account',
  summary: 'Statement',
  description:
    'Every entry of the account, oldest first, or those of a time. With `Accept: text/csv` the same columns as CSV, ' +
    'where `Link: <…>; rel="next"` leads to the next page.',
  method: 'GET',
  template,
  permission: 'customer.account.read.v1',
  types: ['application/json', 'text/csv'],
  input: { query: statementQuery },
  response: {
    status: 200,
    description: 'One page of the statement.',
    links: { readStatement: nextPart() },
    body: { data: accountStatement, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [rowExample],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
    otherTypes: { 'text/csv': statementCsv([z.decode(statementRow, rowExample)]) },
    headers: {
      Link: 'Of CSV: address of the next page; absent on the last page.',
      'Content-Disposition': 'Of CSV: the name of the file.',
    },
  },
  errors: ['invalid_cursor'],
  async handle({ ledger, cursors }: AccountServices, { query }, request) {
    const { requestId, principal, type } = request;
    const { accountId } = principal;
    const { cursor: given, ...range } = query;
    const parts = listParts(cursors, ['statement', accountId]);
    const afterSeq = position.parse(JSON.parse(parts.begin(given) ?? '0'));
    const part = { ...range, afterSeq };
    const { items, nextAfterSeq: next } = await ledger.readStatement(accountId, part);
    const pagination = parts.paginationTo(next === null ? null : JSON.stringify(next));
    const { nextCursor: cursor } = pagination;
    if (type === csvType) return csvResponse(statementCsv(items), nextPath(range, cursor));
    return { data: { items, pagination }, meta: { requestId } };
  },
});

/** The same request from the cursor on; null without one. */
function nextPath(
  range: Omit<z.output<typeof statementQuery>, 'cursor'>,
  cursor: string | null,
): string | null {
  if (cursor === null) return null;
  const sent = z.encode(statementQuery, { ...range, cursor });
  return `${template}?${new URLSearchParams(sent as Record<string, string>)}`;
}

/** CSV has no envelope: the next part is named by a header. */
function csvResponse(text: string, next: string | null) {
  return {
    status: 200,
    type: `${csvType}; charset=utf-8; header=present`,
    headers: {
      'Content-Disposition': 'attachment; filename="statement.csv"',
      ...(next === null ? {} : { Link: `<${next}>; rel="next"` }),
    },
    body: Buffer.from(text),
  } as const;
}
