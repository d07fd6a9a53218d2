import { ledgerApi } from '@inventory/contracts/internal/ledger';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import { isoTime } from '@inventory/runtime/clock';
import { listHolds } from '../accounts/hold-set.domain.ts';
import { outcomeOf } from '../accounts/outcome.domain.ts';
import { SnapshotOutdated } from '../journal/load-account.ts';
import { balanceViewOf, fundsOf, termsOf } from '../journal/read-current-account.ts';
import { statementPageOf } from '../journal/read-statement.ts';
import type { Ledger } from '../open-ledger.ts';

const soon = { code: 'service_unavailable', retry_after_seconds: 1 } as const;

/** An account whose snapshot is being rebuilt is read later. */
async function unlessOutdated<Value>(read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof SnapshotOutdated) throw new Refused(soon, { cause: error });
    throw error;
  }
}

const accountRoutes = [
  internalRoute({
    ...ledgerApi.readBalance,
    handle: async ({ readCurrentAccount }: Ledger, { path: { accountId: id } }) =>
      balanceViewOf(id, await unlessOutdated(readCurrentAccount(id))),
  }),
  internalRoute({
    ...ledgerApi.readTerms,
    handle: async ({ readCurrentAccount }: Ledger, { path: { accountId: id } }) =>
      termsOf(id, await unlessOutdated(readCurrentAccount(id))),
  }),
  internalRoute({
    ...ledgerApi.readFunds,
    handle: async ({ readCurrentAccount }: Ledger, { path: { accountId: id }, query }) =>
      fundsOf(id, query, await unlessOutdated(readCurrentAccount(id))),
  }),
  internalRoute({
    ...ledgerApi.listHolds,
    async handle({ loadAccount }: Ledger, { path: { accountId: id } }) {
      const { account } = await unlessOutdated(loadAccount(id));
      const items = listHolds(account.holds).map((hold) => ({ accountId: id, ...hold }));
      return { asOfMs: null, items };
    },
  }),
  internalRoute({
    ...ledgerApi.readOutcomes,
    async handle({ journal }: Ledger, { path: { accountId: id }, query }) {
      const recorded = await journal.findRecorded(id, query.commandId);
      // Another entry may preclude a command.
      const own = recorded.filter(({ commandId }) => query.commandId.includes(commandId));
      return { items: own.map((entry) => outcomeOf(id, entry)) };
    },
  }),
  internalRoute({
    ...ledgerApi.readStatement,
    async handle({ readStatement }: Ledger, { path: { accountId: id }, query }) {
      const { limit, ...range } = query;
      return statementPageOf(id, await readStatement(id, range, limit));
    },
  }),
  internalRoute({
    ...ledgerApi.readUsage,
    async handle({ readUsage }: Ledger, { path: { accountId: id }, query }) {
      const { from, to, projectId = null } = query;
      const read = await readUsage(id, { fromDay: from, endDay: to + 1, projectId });
      if (read.result === 'too_much') throw new Refused({ code: 'usage_too_large' });
      if (read.result === 'outdated') throw new Refused(soon);
      const items = read.days.flatMap(({ day, projectId: project, products }) =>
        products.map((product) => ({ day, projectId: project, ...product })),
      );
      return { asOfSeq: read.asOfSeq, items };
    },
  }),
];

const journalRoutes = [
  internalRoute({
    ...ledgerApi.listOldHolds,
    async handle({ listOldHolds }: Ledger, { query }) {
      const olderThanMs = query.olderThanSeconds * 1_000;
      return await listOldHolds({ olderThanMs, limit: query.limit });
    },
  }),
  internalRoute({
    ...ledgerApi.verify,
    handle: ({ verifier }: Ledger) => verifier.run(),
  }),
  internalRoute({
    ...ledgerApi.listQuarantined,
    handle: async ({ quarantined }: Ledger, { query }) => ({
      accounts: await quarantined.listQuarantined(query.limit),
    }),
  }),
  internalRoute({
    ...ledgerApi.liftQuarantine,
    handle: async ({ quarantined }: Ledger, { path: { accountId: id } }) => ({
      accountId: id,
      lifted: await quarantined.deleteQuarantined(id),
    }),
  }),
];

const priceRoutes = [
  internalRoute({
    ...ledgerApi.readPrices,
    async handle({ prices, journalClock }: Ledger) {
      await prices.reload();
      return prices.book.scheduleAt(journalClock.now());
    },
  }),
  internalRoute({
    ...ledgerApi.listPriceLists,
    handle: async ({ priceLists }: Ledger) => ({
      items: await priceLists.listPriceLists(),
    }),
  }),
  internalRoute({
    ...ledgerApi.publishPriceList,
    async handle({ publishPriceList }: Ledger, { path: { version }, body }) {
      const publication = await publishPriceList({ ...body, version });
      if (publication.result === 'version_conflict') {
        const detail = { next_version: publication.nextVersion };
        throw new Refused({ code: 'price_version_conflict', detail });
      }
      if (publication.result === 'too_early') {
        const detail = { earliest: isoTime(publication.earliestMs) };
        throw new Refused({ code: 'effective_date_too_early', detail });
      }
      return publication.list;
    },
  }),
];

/** What the other services read. All of it comes from the journal, never from a cache. */
export const ledgerRoutes = [...accountRoutes, ...journalRoutes, ...priceRoutes];
