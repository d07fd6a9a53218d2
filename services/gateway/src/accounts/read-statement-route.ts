import type { AccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import { envelope } from '../http/envelope.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { readStatementEndpoint } from './account-endpoints.ts';
import type { LedgerClient } from './ledger-client.ts';
import { statementCsv } from './statement-csv.ts';

export interface ReadStatementDeps {
  readonly ledger: Pick<LedgerClient, 'statement'>;
  readonly cursors: CursorSealer;
}

const csvType = 'text/csv';
const position = z.int().min(0);

/** GET /v2/account/statement: every entry of the account's journal, as JSON or CSV. */
export function readStatementRoute({ ledger, cursors }: ReadStatementDeps): Route {
  const bindingOf = (accountId: AccountId) => ['statement', accountId];

  function open(cursor: string | undefined, accountId: AccountId): number {
    if (cursor === undefined) return 0;
    const content = cursors.open(cursor, bindingOf(accountId));
    if (content === null) throw new Refused({ code: 'invalid_cursor' });
    return position.parse(JSON.parse(content));
  }

  return defineRoute({
    ...readStatementEndpoint,
    async handle({ requestId, authority: { accountId }, type }, { query }) {
      const { limit } = query;
      const afterSeq = open(query.cursor, accountId);
      const page = await ledger.statement(accountId, { afterSeq, limit });
      const next = page.next_after_seq;
      const cursor =
        next === null ? null : cursors.seal(JSON.stringify(next), bindingOf(accountId));
      if (type === csvType) return csvAnswer(statementCsv(page.items), nextPath(cursor, limit));
      const pagination = { has_more: cursor !== null, next_cursor: cursor };
      const data = { items: page.items, pagination };
      return { status: 200, body: envelope(data, { request_id: requestId }) };
    },
  });
}

function nextPath(cursor: string | null, limit: number): string | null {
  return cursor && `${readStatementEndpoint.template}?limit=${limit}&cursor=${cursor}`;
}

/** CSV has no envelope: where it goes on is said by a header. */
function csvAnswer(text: string, next: string | null) {
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
