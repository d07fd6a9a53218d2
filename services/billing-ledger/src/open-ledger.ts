import { readStoreTime } from '@inventory/mongo/connect';
import { monotonicNow } from '@inventory/runtime/clock';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { createLeases, type Leases, type WithLease } from '@inventory/work/lease';
import type { Db } from 'mongodb';
import { leasesCollection } from './collections.ts';
import type { BillingLedgerConfig } from './config.ts';
import { createAccountCache } from './journal/account-cache.ts';
import { createCommitCommands } from './journal/commit-commands.ts';
import { createJournalClock, type JournalClock } from './journal/journal-clock.ts';
import { createJournal } from './journal/journal-store.ts';
import { createLoadAccount, createLoadPart } from './journal/load-account.ts';
import { createQuarantine } from './journal/quarantine.ts';
import { createQuarantineStore } from './journal/quarantine-store.ts';
import { createReadCurrentAccount } from './journal/read-current-account.ts';
import { createReadStatement } from './journal/read-statement.ts';
import { createRecentEntries } from './journal/recent-entries.ts';
import { countEntries } from './metrics.ts';
import { createPriceListStore } from './prices/price-list-store.ts';
import { createPublishPriceList, openPriceListCache } from './prices/price-lists.ts';
import { createRunLeased } from './run-leased.ts';
import { createListOldHolds } from './snapshots/old-holds.ts';
import { createBringUpToDate, createSnapshotRebuilds } from './snapshots/rebuild-snapshots.ts';
import { createSnapshotSaver } from './snapshots/save-snapshots.ts';
import { createSnapshotPass } from './snapshots/snapshot-pass.ts';
import { createSnapshotStore } from './snapshots/snapshot-store.ts';
import { createReadUsage } from './usage/read-usage.ts';
import { createRollUpUsage } from './usage/roll-up-usage.ts';
import { createUsageStore } from './usage/usage-store.ts';
import { createVerificationStore } from './verification/verification-store.ts';
import { createVerifier } from './verification/verifier.ts';
import { type OnProgress, verifyJournal } from './verification/verify-journal.ts';
import { leaseMs } from './work.ts';

/** The ledger on its store, without the bus and the HTTP server around it. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>;

const commitBytesMax = 256 * 1024;
/** Folded in some tenths of a second; an account with more entries after its snapshot waits for a new one. */
const foldedEntriesMax = 10_000;
/** A response of a few megabytes, and some milliseconds of counting. */
const usageLimits = { daysMax: 10_000, tailMax: 10_000 } as const;

/** The database has the indexes of `collections.ts`. Long reading ends when the process stops. */
export async function openLedger(context: ServiceContext<BillingLedgerConfig>, db: Db) {
  const { clock, logger, config } = context;
  const { signal: stopping } = context.lifetime;
  const { everyEntries, passIntervalMs: intervalMs } = config.snapshots;
  const writer = context.identifiers.uuidV7();
  const journal = createJournal(db, writer);
  const snapshotStore = createSnapshotStore(db);
  const usage = createUsageStore(db, logger);
  const runLeased = createRunLeased(openLeases(db), writer, { clock, stopping, logger });

  const journalClock = await openJournalClock(context, db);
  const timed = { clock: journalClock };
  const priceLists = createPriceListStore(db);
  const prices = await openPriceListCache(priceLists, clock);
  const publishing = { lists: priceLists, prices, ...timed };

  // Accounts in memory: loaded at once, or after their snapshot was rebuilt.
  const cache = createAccountCache(config.cache.accountsMax);
  const quarantined = createQuarantineStore(db, logger);
  const quarantine = createQuarantine({ store: quarantined, clock, logger });
  await quarantine.reload();
  const entriesMax = Math.max(foldedEntriesMax, 2 * everyEntries);
  const loadPart = createLoadPart({ journal, snapshots: snapshotStore, entriesMax });
  const bringUpToDate = createBringUpToDate({ loadPart, snapshots: snapshotStore });
  const rebuilds = createSnapshotRebuilds({ bringUpToDate, cache, quarantine, runLeased, logger });
  const loadAccount = createLoadAccount(loadPart, rebuilds.add);

  const rollUpUsage = createRollUpUsage({ journal, usage });
  const derived = { snapshots: snapshotStore, rollUpUsage };
  const snapshots = createSnapshotSaver({ ...derived, cache, everyEntries, logger });
  const passing = { ...derived, journal, bringUpToDate, runLeased, intervalMs, ...timed, logger };

  const accounts = { journal, cache, quarantine, rebuilds, loadAccount, prices };
  const commitCommands = createCommitCommands({
    ...accounts,
    recent: createRecentEntries(config.cache.recentKeysMax),
    clock: journalClock,
    limits: { entriesMax: config.commits.entriesMax, bytesMax: commitBytesMax },
    onCommitted: (cached, entries) => {
      countEntries(entries);
      snapshots.noteCommit(cached);
    },
  });
  const verified = { journal, snapshots: snapshotStore, usage, prices };
  const verify = (signal: AbortSignal, onProgress: OnProgress) =>
    verifyJournal(verified, signal, onProgress);
  const verifications = createVerificationStore(db, logger);
  return {
    ...accounts,
    journalClock,
    priceLists,
    quarantined,
    snapshots,
    commitCommands,
    publishPriceList: createPublishPriceList(publishing),
    snapshotPass: createSnapshotPass(passing),
    readCurrentAccount: createReadCurrentAccount({ journal, loadAccount, ...timed }),
    readStatement: createReadStatement(journal),
    readUsage: createReadUsage({ journal, usage, limits: usageLimits }),
    listOldHolds: createListOldHolds({ snapshots: snapshotStore, journal, ...timed }),
    verifier: createVerifier({ verify, verifications, runLeased, ...timed, stopping, logger }),
  };
}

function openLeases(db: Db): Leases<WithLease> {
  const collection = db.collection<WithLease>(leasesCollection);
  return createLeases(collection, leaseMs, 'deleted');
}

async function openJournalClock(
  { clock, config }: ServiceContext<BillingLedgerConfig>,
  db: Db,
): Promise<JournalClock> {
  const journalClock = createJournalClock({
    clock,
    monotonicNow,
    readStoreTime: () => readStoreTime(db),
    offsetMaxMs: config.clockOffsetMaxMs,
  });
  await journalClock.measure();
  return journalClock;
}
