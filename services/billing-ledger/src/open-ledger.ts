import { readStoreTime } from '@inventory/mongo/store-time';
import { type Clock, monotonicNow } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import { createLeases, type WithLease } from '@inventory/work/lease';
import type { Db } from 'mongodb';
import { leasesCollection } from './collections.ts';
import type { BillingLedgerConfig } from './config.ts';
import { type AccountCache, createAccountCache } from './journal/account-cache.ts';
import { type CommitCommands, createCommitCommands } from './journal/commit-commands.ts';
import { createJournalClock, type JournalClock } from './journal/journal-clock.ts';
import { createJournal, type Journal } from './journal/journal-store.ts';
import {
  createLoadAccount,
  createLoadPart,
  type LoadAccount,
  type LoadAccountDeps,
} from './journal/load-account.ts';
import { createQuarantine, type Quarantine } from './journal/quarantine.ts';
import { createQuarantineStore, type QuarantineStore } from './journal/quarantine-store.ts';
import { createReadStanding, type ReadStanding } from './journal/read-standing.ts';
import { createReadStatement, type ReadStatement } from './journal/read-statement.ts';
import { createRecentEntries } from './journal/recent-entries.ts';
import { countEntries } from './metrics.ts';
import { createPriceListStore, type PriceListStore } from './prices/price-list-store.ts';
import {
  createPublishPriceList,
  openPriceListCache,
  type PriceListCache,
  type PublishPriceList,
} from './prices/price-lists.ts';
import { createRunLeased } from './run-leased.ts';
import { createListOldHolds, type ListOldHolds } from './snapshots/old-holds.ts';
import {
  createBringUpToDate,
  createSnapshotRebuilds,
  type RebuildSnapshotsDeps,
  type SnapshotRebuilds,
} from './snapshots/rebuild-snapshots.ts';
import { createSnapshotSaver, type SnapshotSaver } from './snapshots/save-snapshots.ts';
import { createSnapshotPass, type SnapshotPass } from './snapshots/snapshot-pass.ts';
import { createSnapshotStore, type SnapshotStore } from './snapshots/snapshot-store.ts';
import { createReadUsage, type ReadUsage } from './usage/read-usage.ts';
import { createRollUpUsage } from './usage/roll-up-usage.ts';
import { createUsageStore } from './usage/usage-store.ts';
import { createVerificationStore } from './verification/verification-store.ts';
import { createVerifier, type Verifier } from './verification/verifier.ts';
import { verifyJournal } from './verification/verify-journal.ts';
import { leaseMs } from './work.ts';

export interface OpenLedgerDeps {
  /** With the indexes of `collections.ts`. */
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
  readonly config: Pick<
    BillingLedgerConfig,
    'commits' | 'cache' | 'snapshots' | 'clockOffsetMaxMs'
  >;
  /** Aborted: long reading ends. */
  readonly stopping: AbortSignal;
}

/** The ledger on its store, without the bus and the HTTP server around it. */
export interface Ledger {
  readonly commitCommands: CommitCommands;
  readonly journal: Journal;
  readonly cache: AccountCache;
  readonly journalClock: JournalClock;
  readonly prices: PriceListCache;
  readonly priceLists: PriceListStore;
  readonly publishPriceList: PublishPriceList;
  readonly snapshots: SnapshotSaver;
  readonly snapshotPass: SnapshotPass;
  readonly rebuilds: SnapshotRebuilds;
  readonly loadAccount: LoadAccount;
  readonly readStanding: ReadStanding;
  readonly readStatement: ReadStatement;
  readonly readUsage: ReadUsage;
  readonly listOldHolds: ListOldHolds;
  readonly quarantine: Quarantine;
  readonly quarantined: QuarantineStore;
  readonly verifier: Verifier;
}

const commitBytesMax = 256 * 1024;
/** Folded in some tenths of a second; an account further behind its snapshot waits for a new one. */
const foldedEntriesMax = 10_000;
/** An answer of a few megabytes, and some milliseconds of counting. */
const usageLimits = { daysMax: 10_000, tailMax: 10_000 } as const;

export async function openLedger(deps: OpenLedgerDeps): Promise<Ledger> {
  const { db, clock, logger, config } = deps;
  const now = () => clock.now();
  const writer = deps.identifiers.uuidV7();
  const stores = {
    journal: createJournal(db, writer),
    snapshots: createSnapshotStore(db),
    usage: createUsageStore(db),
  };
  const { journal } = stores;
  const journalClock = await openJournalClock(deps);
  const pricing = await openPricing(deps, journalClock);
  const { prices } = pricing;
  const cache = createAccountCache(config.cache.accountsMax);
  const { everyEntries, passIntervalMs: intervalMs } = config.snapshots;
  const derived = { snapshots: stores.snapshots, rollUpUsage: createRollUpUsage(stores), logger };
  const leases = createLeases({
    collection: db.collection<WithLease>(leasesCollection),
    leaseMs,
    released: 'deleted',
  });
  const runLeased = createRunLeased(leases, writer, deps);
  const snapshots = createSnapshotSaver({ ...derived, cache, everyEntries });
  const quarantined = createQuarantineStore(db);
  const quarantine = createQuarantine({ store: quarantined, now, logger });
  await quarantine.reload();
  const loading = { ...stores, cache, quarantine, runLeased, logger };
  const { loadAccount, bringUpToDate, rebuilds } = openLoading(everyEntries, loading);
  const passing = { ...derived, journal, bringUpToDate, runLeased, clock, intervalMs };
  const commitCommands = createCommitCommands({
    ...{ journal, quarantine, rebuilds, loadAccount, cache, prices },
    recent: createRecentEntries(config.cache.recentKeysMax),
    clock: journalClock,
    limits: { entriesMax: config.commits.entriesMax, bytesMax: commitBytesMax },
    onCommitted: (cached, entries) => {
      countEntries(entries);
      snapshots.noteCommit(cached);
    },
  });
  return {
    ...{ commitCommands, journal, cache, journalClock, snapshots, rebuilds, loadAccount },
    ...pricing,
    snapshotPass: createSnapshotPass(passing),
    readStanding: createReadStanding({ journal, loadAccount, clock }),
    readStatement: createReadStatement(journal),
    readUsage: createReadUsage({ ...stores, limits: usageLimits }),
    listOldHolds: createListOldHolds({ snapshots: stores.snapshots, clock }),
    ...{ quarantine, quarantined },
    verifier: createVerifier({
      verify: (options) => verifyJournal({ ...stores, prices }, options),
      verifications: createVerificationStore(db),
      ...{ runLeased, clock, logger, stopping: deps.stopping },
    }),
  };
}

async function openJournalClock({ db, clock, config }: OpenLedgerDeps): Promise<JournalClock> {
  const journalClock = createJournalClock({
    clock,
    monotonicNow,
    readStoreTime: () => readStoreTime(db),
    offsetMaxMs: config.clockOffsetMaxMs,
  });
  await journalClock.measure();
  return journalClock;
}

async function openPricing({ db, clock }: OpenLedgerDeps, journalClock: JournalClock) {
  const priceLists = createPriceListStore(db);
  const prices = await openPriceListCache(priceLists, clock);
  const publishing = { lists: priceLists, prices, clock: journalClock };
  return { prices, priceLists, publishPriceList: createPublishPriceList(publishing) };
}

type LoadingParts = Omit<LoadAccountDeps, 'entriesMax' | 'snapshots'> &
  Omit<RebuildSnapshotsDeps, 'bringUpToDate'> & { readonly snapshots: SnapshotStore };

/** How accounts get into memory: at once, or after their snapshot was rebuilt. */
function openLoading(everyEntries: number, parts: LoadingParts) {
  const entriesMax = Math.max(foldedEntriesMax, 2 * everyEntries);
  const loadPart = createLoadPart({ ...parts, entriesMax });
  const bringUpToDate = createBringUpToDate({ ...parts, loadPart });
  const rebuilds = createSnapshotRebuilds({ ...parts, bringUpToDate });
  return { bringUpToDate, rebuilds, loadAccount: createLoadAccount(loadPart, rebuilds.add) };
}
