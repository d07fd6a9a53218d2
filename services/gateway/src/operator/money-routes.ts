import { type AccountId, refreshId } from '@inventory/contracts/ids';
import type { StatementRow } from '@inventory/contracts/internal/ledger';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Context } from 'koa';
import { bookEntry } from '../accounts/book-entry.ts';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import { statementCsv } from '../accounts/statement-csv.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { Deadlines } from '../deadlines.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { type Hold, holdPosition, toWireEntry } from './convert.ts';
import { listAnswer, readCursor, writeCursor } from './list-cursor.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import {
  accountPath,
  adjustmentBody,
  bookingHeaders,
  listQuery,
  statementQuery,
  topUpBody,
  unitGrantBody,
} from './operator-schemas.ts';

interface MoneyRoutesDeps {
  readonly commands: RequestReplyClient;
  readonly tenancy: Pick<Tenancy, 'findAccount'>;
  readonly ledger: Pick<LedgerClient, 'balance' | 'holds' | 'statement'>;
  readonly identifiers: Identifiers;
  readonly deadlines: Pick<Deadlines, 'ledgerAnswerMs'>;
}

export function moneyRoutes(options: MoneyRoutesDeps): OperatorRoute[] {
  return [...bookingRoutes(options), ...readingRoutes(options)];
}

function bookingRoutes(options: MoneyRoutesDeps): OperatorRoute[] {
  async function book(
    kind: 'grant' | 'adjust',
    accountId: AccountId,
    wanted: { asset: LedgerAsset; amount: number; reason: string; idempotencyKey: string },
  ) {
    const outcome = await bookEntry(options, { kind, accountId, ...wanted });
    return toWireEntry(outcome, wanted);
  }
  return [
    operatorRoute({
      method: 'post',
      path: '/accounts/:account_id/top-ups',
      action: 'account.top-up',
      parts: { path: accountPath, header: bookingHeaders, body: topUpBody },
      handle: ({ path, header, body }) =>
        book('grant', path.account_id, {
          ...body,
          asset: 'credits',
          idempotencyKey: header['idempotency-key'],
        }),
    }),
    operatorRoute({
      method: 'post',
      path: '/accounts/:account_id/unit-grants',
      action: 'account.grant-units',
      parts: { path: accountPath, header: bookingHeaders, body: unitGrantBody },
      handle: ({ path, header, body }) =>
        book('grant', path.account_id, {
          ...body,
          asset: 'units',
          idempotencyKey: header['idempotency-key'],
        }),
    }),
    operatorRoute({
      method: 'post',
      path: '/accounts/:account_id/adjustments',
      action: 'account.adjust',
      parts: { path: accountPath, header: bookingHeaders, body: adjustmentBody },
      handle: ({ path, header, body }) =>
        book('adjust', path.account_id, { ...body, idempotencyKey: header['idempotency-key'] }),
    }),
  ];
}

function readingRoutes({ tenancy, ledger }: MoneyRoutesDeps): OperatorRoute[] {
  async function requireAccount(accountId: AccountId): Promise<void> {
    const account = await tenancy.findAccount(accountId);
    if (account === null) throw new Refused({ code: 'account_not_found' });
  }
  return [
    operatorRoute({
      method: 'get',
      path: '/accounts/:account_id/balance',
      parts: { path: accountPath },
      async handle({ path }) {
        await requireAccount(path.account_id);
        return ledger.balance(path.account_id);
      },
    }),
    operatorRoute({
      method: 'get',
      path: '/accounts/:account_id/holds',
      parts: { path: accountPath, query: listQuery },
      async handle({ path, query }) {
        const after = readCursor('holds', query.cursor, isHoldPosition);
        await requireAccount(path.account_id);
        const { items } = await ledger.holds(path.account_id);
        return holdsAnswer(items, after, query.limit);
      },
    }),
    operatorRoute({
      method: 'get',
      path: '/accounts/:account_id/statement',
      parts: { path: accountPath, query: statementQuery },
      async handle({ path, query }, context) {
        const after = readCursor('statement', query.cursor, isSeq);
        const format = query.format ?? acceptedFormat(context);
        await requireAccount(path.account_id);
        const part = { afterSeq: Number(after ?? 0), limit: query.limit };
        const page = await ledger.statement(path.account_id, part);
        const next = page.next_after_seq;
        const nextCursor = next === null ? null : writeCursor('statement', String(next));
        if (format === 'json') return { items: page.items, next_cursor: nextCursor };
        return answerCsv(context, page.items, nextCursor);
      },
    }),
  ];
}

/** The ledger gives the open holds whole; they are as many as refreshes may be outstanding. */
function holdsAnswer(holds: readonly Hold[], after: string | null, limit: number) {
  const found = holds
    .filter((hold) => after === null || holdPosition(hold) > after)
    .toSorted((left, right) => (holdPosition(left) < holdPosition(right) ? -1 : 1));
  const toWire = (hold: Hold) => hold;
  return listAnswer({ list: 'holds', found, limit, positionOf: holdPosition, toWire });
}

function acceptedFormat(context: Context): 'json' | 'csv' {
  const accepted = context.accepts('application/json', 'text/csv');
  if (accepted === false) throw new Refused({ code: 'not_acceptable' });
  return accepted === 'text/csv' ? 'csv' : 'json';
}

function answerCsv(context: Context, rows: readonly StatementRow[], nextCursor: string | null) {
  if (nextCursor !== null) context.set('X-Next-Cursor', nextCursor);
  context.type = 'text/csv; charset=utf-8; header=present';
  context.body = statementCsv(rows);
}

function isSeq(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text);
}

function isHoldPosition(text: string): boolean {
  const [time = '', id = '', ...rest] = text.split('/');
  const isTime = /^[0-9T:.-]{1,40}Z$/.test(time);
  return isTime && rest.length === 0 && refreshId.safeParse(id).success;
}
