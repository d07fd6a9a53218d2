import { ledgerApi } from '@inventory/contracts/internal/ledger';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import { type Clock, fromIsoTime, isoTime } from '@inventory/runtime/clock';
import { listHolds } from '../accounts/hold-set.domain.ts';
import { outcomeOf } from '../accounts/outcome.domain.ts';
import type { Journal } from '../journal/journal-store.ts';
import { AccountBehind, type LoadAccount } from '../journal/load-account.ts';
import type { QuarantineStore } from '../journal/quarantine-store.ts';
import type { ReadStanding } from '../journal/read-standing.ts';
import type { ReadStatement } from '../journal/read-statement.ts';
import { toPriceListView } from '../prices/price-list-mapping.ts';
import type { PriceListStore } from '../prices/price-list-store.ts';
import type { PriceListCache, PublishPriceList } from '../prices/price-lists.ts';
import type { ListOldHolds } from '../snapshots/old-holds.ts';
import type { ReadUsage } from '../usage/read-usage.ts';
import { dayOf } from '../usage/usage.domain.ts';
import type { Verifier } from '../verification/verifier.ts';
import {
  toAccountFunds,
  toAccountTerms,
  toBalanceView,
  toPriceSchedule,
  toStatementPage,
  toUsageReport,
  toWantedPriceList,
} from './convert.ts';

export interface LedgerRoutesDeps {
  readonly journal: Journal;
  readonly readStanding: ReadStanding;
  readonly loadAccount: LoadAccount;
  readonly readStatement: ReadStatement;
  readonly readUsage: ReadUsage;
  readonly listOldHolds: ListOldHolds;
  readonly verifier: Pick<Verifier, 'run'>;
  readonly quarantined: QuarantineStore;
  readonly prices: PriceListCache;
  readonly priceLists: PriceListStore;
  readonly publishPriceList: PublishPriceList;
  readonly journalClock: Clock;
}

const soon = { code: 'service_unavailable', retry_after_seconds: 1 } as const;

/** An account whose snapshot is being rebuilt is read later. */
async function unlessBehind<Value>(read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AccountBehind) throw new Refused(soon, { cause: error });
    throw error;
  }
}

const accountRoutes = [
  internalRoute({
    ...ledgerApi.readBalance,
    handle: async ({ readStanding }: LedgerRoutesDeps, { path: { accountId: id } }) =>
      toBalanceView(id, await unlessBehind(readStanding(id))),
  }),
  internalRoute({
    ...ledgerApi.readTerms,
    handle: async ({ readStanding }: LedgerRoutesDeps, { path: { accountId: id } }) =>
      toAccountTerms(id, await unlessBehind(readStanding(id))),
  }),
  internalRoute({
    ...ledgerApi.readFunds,
    handle: async ({ readStanding }: LedgerRoutesDeps, { path: { accountId: id }, query }) =>
      toAccountFunds(id, query.projectId, await unlessBehind(readStanding(id))),
  }),
  internalRoute({
    ...ledgerApi.listHolds,
    async handle({ loadAccount }: LedgerRoutesDeps, { path: { accountId: id } }) {
      const { account } = await unlessBehind(loadAccount(id));
      const items = listHolds(account.holds).map((hold) => ({ accountId: id, ...hold }));
      return { asOfMs: null, items };
    },
  }),
  internalRoute({
    ...ledgerApi.readOutcomes,
    async handle({ journal }: LedgerRoutesDeps, { path: { accountId: id }, query }) {
      const recorded = await journal.findRecorded(id, query.commandId);
      // Another entry may preclude a command.
      const own = recorded.filter(({ commandId }) => query.commandId.includes(commandId));
      return { items: own.map((entry) => outcomeOf(id, entry)) };
    },
  }),
  internalRoute({
    ...ledgerApi.readStatement,
    async handle({ readStatement }: LedgerRoutesDeps, { path: { accountId: id }, query }) {
      return toStatementPage(id, await readStatement(id, query));
    },
  }),
  internalRoute({
    ...ledgerApi.readUsage,
    async handle({ readUsage }: LedgerRoutesDeps, { path: { accountId: id }, query }) {
      const { from, to, projectId = null } = query;
      const days = { fromDay: dayOf(fromIsoTime(from)), endDay: dayOf(fromIsoTime(to)) + 1 };
      const read = await readUsage(id, { ...days, projectId });
      if (read.result === 'too_much') throw new Refused({ code: 'usage_too_large' });
      if (read.result === 'behind') throw new Refused(soon);
      return toUsageReport(read.days, read.asOfSeq);
    },
  }),
];

const journalRoutes = [
  internalRoute({
    ...ledgerApi.listOldHolds,
    async handle({ listOldHolds }: LedgerRoutesDeps, { query }) {
      const olderThanMs = query.olderThanSeconds * 1_000;
      return await listOldHolds({ olderThanMs, limit: query.limit });
    },
  }),
  internalRoute({
    ...ledgerApi.verify,
    handle: ({ verifier }: LedgerRoutesDeps) => verifier.run(),
  }),
  internalRoute({
    ...ledgerApi.listQuarantined,
    handle: async ({ quarantined }: LedgerRoutesDeps, { query }) => ({
      accounts: await quarantined.listQuarantined(query.limit),
    }),
  }),
  internalRoute({
    ...ledgerApi.liftQuarantine,
    handle: async ({ quarantined }: LedgerRoutesDeps, { path: { accountId: id } }) => ({
      accountId: id,
      lifted: await quarantined.deleteQuarantined(id),
    }),
  }),
];

const priceRoutes = [
  internalRoute({
    ...ledgerApi.readPrices,
    async handle({ prices, journalClock }: LedgerRoutesDeps) {
      await prices.reload();
      return toPriceSchedule(prices.book, journalClock.now());
    },
  }),
  internalRoute({
    ...ledgerApi.listPriceLists,
    handle: async (deps: LedgerRoutesDeps) => ({
      items: (await deps.priceLists.listPriceLists()).map(toPriceListView),
    }),
  }),
  internalRoute({
    ...ledgerApi.publishPriceList,
    async handle({ publishPriceList }: LedgerRoutesDeps, { path: { version }, body }) {
      const publication = await publishPriceList(toWantedPriceList(version, body));
      if (publication.result === 'version_conflict') {
        const detail = { next_version: publication.nextVersion };
        throw new Refused({ code: 'price_version_conflict', detail });
      }
      if (publication.result === 'too_early') {
        const detail = { earliest: isoTime(publication.earliestMs) };
        throw new Refused({ code: 'effective_date_too_early', detail });
      }
      return toPriceListView(publication.list);
    },
  }),
];

/** What the other services read. All of it comes from the journal, never from a cache. */
export const ledgerRoutes = [...accountRoutes, ...journalRoutes, ...priceRoutes];
