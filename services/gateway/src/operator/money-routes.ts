import { queryTimeMs } from '@inventory/contracts/http/parameters';
import { type AccountId, accountId, requestId } from '@inventory/contracts/ids';
import {
  type HoldView,
  holdView,
  ledgerApi,
  type StatementRow,
  statementRow,
} from '@inventory/contracts/internal/ledger';
import { ledgerAsset } from '@inventory/contracts/vocabulary';
import { time, wire } from '@inventory/contracts/wire';
import { Refused } from '@inventory/http/refused';
import { Reply } from '@inventory/http/reply';
import { isoTime } from '@inventory/runtime/clock';
import { z } from 'zod';
import { statementCsv } from '../accounts/statement-csv.ts';
import { bookEntry, type WantedEntry } from './ledger-commands.ts';
import { partsOf } from './list-by-id.ts';
import { type OperatorRequest, operatorRoute, sameAs } from './operator-route.ts';
import {
  accountPath,
  bookingHeaders,
  creditsMax,
  listOf,
  listQuery,
  reason,
} from './operator-schemas.ts';
import type { OperatorServices } from './operator-services.ts';

const tag = 'Money';
const errors = [
  'account_not_found',
  'idempotency_conflict',
  'balance_limit_exceeded',
  'billing_unavailable',
] as const;
const amount = z.int().min(1).max(creditsMax);
const onceByKey =
  'The same `idempotency-key` again books nothing more and has the same response, byte for byte.';

const bookedEntry = wire({
  accountId,
  kind: z.string(),
  seq: z.int().min(1),
  atMs: time,
  asset: ledgerAsset,
  amount: z.int(),
  reason: z.string(),
  requestId: requestId.nullable(),
  /** The account after this entry. */
  balance: z.object({ total: z.int(), held: z.int(), available: z.int() }),
});

interface BookingRequest {
  readonly path: { readonly accountId: AccountId };
  readonly header: { readonly 'idempotency-key': string };
  readonly body: { readonly amount: number; readonly reason: string };
}

async function book(
  services: OperatorServices,
  { path, header, body }: BookingRequest,
  kind: Pick<WantedEntry, 'kind' | 'asset'>,
) {
  const idempotencyKey = header['idempotency-key'];
  const wanted = { ...body, ...kind, accountId: path.accountId, idempotencyKey };
  const { amount, reason } = body;
  // Identical for every repetition of a key: nothing in it depends on the call.
  return { ...(await bookEntry(services, wanted)), amount, reason };
}

const bookingRoutes = [
  operatorRoute({
    operationId: 'topUp',
    command: 'top-up',
    tag,
    summary: 'Add credits to an account',
    description: onceByKey,
    method: 'POST',
    path: '/accounts/{account_id}/top-ups',
    role: 'billing',
    action: 'account.top-up',
    input: {
      path: accountPath,
      header: bookingHeaders,
      body: z.strictObject({ amount, reason: reason.default('top-up') }),
    },
    response: bookedEntry,
    errors,
    handle: (deps, input) => book(deps, input, { kind: 'grant', asset: 'credits' }),
  }),
  operatorRoute({
    operationId: 'grantUnits',
    command: 'grant-units',
    tag,
    summary: 'Add subscription units to an account',
    description: `They expire at the end of the UTC month. ${onceByKey}`,
    method: 'POST',
    path: '/accounts/{account_id}/unit-grants',
    role: 'billing',
    action: 'account.grant-units',
    input: {
      path: accountPath,
      header: bookingHeaders,
      body: z.strictObject({ amount, reason: reason.default('unit grant') }),
    },
    response: bookedEntry,
    errors,
    handle: (deps, input) => book(deps, input, { kind: 'grant', asset: 'units' }),
  }),
  operatorRoute({
    operationId: 'adjust',
    command: 'adjust',
    tag,
    summary: 'Correct the available credits or units of an account, up or down',
    description: onceByKey,
    method: 'POST',
    path: '/accounts/{account_id}/adjustments',
    role: 'billing',
    action: 'account.adjust',
    input: {
      path: accountPath,
      header: bookingHeaders,
      body: z.strictObject({
        asset: ledgerAsset.default('credits'),
        amount: z
          .int()
          .min(-creditsMax)
          .max(creditsMax)
          .refine((given) => given !== 0, 'must not be 0'),
        reason,
      }),
    },
    response: bookedEntry,
    errors: [...errors, 'insufficient_credits', 'insufficient_units'],
    handle: (deps, input) => book(deps, input, { kind: 'adjust', asset: input.body.asset }),
  }),
];

const readingRoutes = [
  operatorRoute({
    ...sameAs(ledgerApi.readBalance),
    operationId: 'readBalance',
    command: 'balance',
    tag,
    summary: 'What an account has: total, held, available',
    role: 'read',
    errors: ['account_not_found'],
    async handle(deps, { path }) {
      await deps.tenancy.requireAccount(path.accountId);
      return deps.ledger.readBalance(path.accountId);
    },
  }),
  operatorRoute({
    operationId: 'listHolds',
    command: 'holds',
    columns: ['refresh_id', 'project_id', 'asset', 'amount', 'price_version', 'reserved_at'],
    tag,
    summary: 'Open reservations of an account, oldest first',
    method: 'GET',
    path: '/accounts/{account_id}/holds',
    role: 'read',
    input: { path: accountPath, query: listQuery },
    response: listOf(holdView),
    errors: ['account_not_found', 'invalid_cursor'],
    async handle(deps, { path, query }) {
      const parts = partsOf(deps, 'holds', path.accountId);
      const after = parts.begin(query.cursor);
      await deps.tenancy.requireAccount(path.accountId);
      const holds = (await deps.ledger.listHolds(path.accountId)).items;
      const { items, pagination } = parts.take(holdsAfter(holds, after), query.limit, holdPosition);
      return { items, nextCursor: pagination.nextCursor };
    },
  }),
  operatorRoute({
    operationId: 'readStatement',
    command: 'statement',
    columns: [
      'at',
      'kind',
      'asset',
      'change_available',
      'change_held',
      'available_after',
      'held_after',
      'refresh_id',
      'reason',
    ],
    tag,
    summary: 'Every movement of an account, or those of a time, oldest first',
    description: 'As CSV with `format=csv`, or with `Accept: text/csv` where `format` is absent.',
    method: 'GET',
    path: '/accounts/{account_id}/statement',
    role: 'read',
    input: {
      path: accountPath,
      query: listQuery.extend({
        from: queryTimeMs.optional().describe('Booked at this time or later.'),
        to: queryTimeMs.optional().describe('Booked before this time.'),
        format: z.enum(['json', 'csv']).optional(),
      }),
    },
    response: listOf(statementRow),
    documented: {
      otherTypes: { 'text/csv': statementCsv([]) },
      headers: { 'X-Next-Cursor': 'Of CSV: `next_cursor`; absent on the last page.' },
    },
    errors: ['account_not_found', 'invalid_cursor', 'not_acceptable'],
    async handle(deps, { path, query }, request) {
      const parts = partsOf(deps, 'statement', path.accountId);
      const afterSeq = Number(parts.begin(query.cursor) ?? 0);
      const format = query.format ?? acceptedFormat(request);
      await deps.tenancy.requireAccount(path.accountId);
      const { limit, from, to } = query;
      const part = { afterSeq, limit, from, to };
      const { items, nextAfterSeq: next } = await deps.ledger.readStatement(path.accountId, part);
      const { nextCursor } = parts.paginationTo(next === null ? null : String(next));
      return format === 'csv' ? csvReply(items, nextCursor) : { items, nextCursor };
    },
  }),
];

/** Credits and units of an account. */
export const moneyRoutes = [...bookingRoutes, ...readingRoutes];

/**
 * The ledger returns all open holds; their number is bounded by the limit of outstanding refreshes.
 */
function holdsAfter(holds: readonly HoldView[], after: string | null): HoldView[] {
  return holds
    .filter((hold) => after === null || holdPosition(hold) > after)
    .toSorted((left, right) => (holdPosition(left) < holdPosition(right) ? -1 : 1));
}

/** Position of a hold in the list: oldest first, ties by refresh. */
function holdPosition({ reservedAtMs, refreshId }: HoldView): string {
  return `${isoTime(reservedAtMs)}/${refreshId}`;
}

function acceptedFormat({ accepts }: OperatorRequest): 'json' | 'csv' {
  const accepted = accepts('application/json', 'text/csv');
  if (accepted === false) throw new Refused({ code: 'not_acceptable' });
  return accepted === 'text/csv' ? 'csv' : 'json';
}

function csvReply(rows: readonly StatementRow[], nextCursor: string | null): Reply {
  return new Reply({
    headers: nextCursor === null ? {} : { 'X-Next-Cursor': nextCursor },
    type: 'text/csv; charset=utf-8; header=present',
    body: statementCsv(rows),
  });
}
