import { accountId, projectId } from '@inventory/contracts/ids';
import { usageDaysMax } from '@inventory/contracts/internal/ledger';
import { Refused } from '@inventory/http/refused';
import { type Clock, fromIsoTime } from '@inventory/runtime/clock';
import Router from '@koa/router';
import { z } from 'zod';
import { listHolds } from '../domain/hold-set.ts';
import { dayMs, dayOf } from '../domain/usage.ts';
import type { ListOldHolds } from '../operations/list-old-holds.ts';
import type { LoadAccount } from '../operations/load-account.ts';
import type { PriceListCache } from '../operations/price-list-cache.ts';
import type { ReadStanding } from '../operations/read-standing.ts';
import type { ReadStatement } from '../operations/read-statement.ts';
import type { ReadUsage } from '../operations/read-usage.ts';
import type { VerifyJournal } from '../operations/verify-journal.ts';
import {
  toAccountFunds,
  toAccountTerms,
  toBalanceView,
  toHoldList,
  toOldHoldList,
  toPriceListView,
  toStatementPage,
  toUsageReport,
  toVerifyReport,
} from './convert.ts';

export interface LedgerRoutes {
  readonly readStanding: ReadStanding;
  readonly loadAccount: LoadAccount;
  readonly readStatement: ReadStatement;
  readonly readUsage: ReadUsage;
  readonly listOldHolds: ListOldHolds;
  readonly verifyJournal: VerifyJournal;
  readonly prices: PriceListCache;
  readonly clock: Clock;
}

const rowsMax = 1_000;
const limit = z.coerce.number().int().min(1).max(rowsMax).default(100);
const accountPath = z.object({ account_id: accountId });
const fundsQuery = z.object({ project_id: projectId });
const statementQuery = z.object({
  after_seq: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  limit,
});
/** UTC days, both in the span. */
const usageQuery = z
  .object({ from: z.iso.date(), to: z.iso.date(), project_id: projectId.optional() })
  .refine(({ from, to }) => from <= to, { path: ['to'], message: 'must not be before from' })
  .refine(({ from, to }) => fromIsoTime(to) - fromIsoTime(from) < usageDaysMax * dayMs, {
    path: ['to'],
    message: `must be at most ${usageDaysMax - 1} days after from`,
  });
const holdsQuery = z.object({
  older_than_seconds: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
  limit,
});

/** What the other services read. All of it comes from the journal, never from a cache. */
export function createLedgerRouter(routes: LedgerRoutes): Router {
  const router = new Router();

  router.get('/accounts/:account_id/balance', async (context) => {
    const { account_id: id } = accountPath.parse(context['params']);
    context.body = toBalanceView(id, await routes.readStanding(id));
  });

  router.get('/accounts/:account_id/terms', async (context) => {
    const { account_id: id } = accountPath.parse(context['params']);
    context.body = toAccountTerms(id, await routes.readStanding(id));
  });

  router.get('/accounts/:account_id/funds', async (context) => {
    const { account_id: id } = accountPath.parse(context['params']);
    const { project_id: project } = fundsQuery.parse(context.query);
    context.body = toAccountFunds(id, project, await routes.readStanding(id));
  });

  router.get('/accounts/:account_id/holds', async (context) => {
    const { account_id: id } = accountPath.parse(context['params']);
    const { account } = await routes.loadAccount(id);
    const holds = listHolds(account.holds);
    context.body = toHoldList(holds.map((hold) => ({ accountId: id, hold })));
  });

  router.get('/accounts/:account_id/statement', async (context) => {
    const { account_id: id } = accountPath.parse(context['params']);
    const query = statementQuery.parse(context.query);
    const part = { afterSeq: query.after_seq, limit: query.limit };
    context.body = toStatementPage(id, await routes.readStatement(id, part));
  });

  router.get('/accounts/:account_id/usage', async (context) => {
    const { account_id: id } = accountPath.parse(context['params']);
    const { from, to, project_id: project } = usageQuery.parse(context.query);
    const days = { fromDay: dayOf(fromIsoTime(from)), endDay: dayOf(fromIsoTime(to)) + 1 };
    const read = await routes.readUsage(id, { ...days, projectId: project ?? null });
    if (read.result === 'too_much') throw new Refused({ code: 'usage_too_large' });
    if (read.result === 'behind') {
      throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
    }
    context.body = toUsageReport(read.days, read.asOfSeq);
  });

  router.get('/holds', async (context) => {
    const query = holdsQuery.parse(context.query);
    const olderThanMs = query.older_than_seconds * 1_000;
    context.body = toOldHoldList(await routes.listOldHolds({ olderThanMs, limit: query.limit }));
  });

  router.post('/verify', async (context) => {
    context.body = toVerifyReport(await routes.verifyJournal());
  });

  router.get('/prices', async (context) => {
    await routes.prices.reload();
    context.body = toPriceListView(routes.prices.book.activeAt(routes.clock.now()));
  });

  return router;
}
