import { type Clock, monotonicNow } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import type { BillingLedgerConfig } from './config.ts';
import { countEntries } from './metrics.ts';
import { type AccountCache, createAccountCache } from './operations/account-cache.ts';
import { type CommitCommands, createCommitCommands } from './operations/commit-commands.ts';
import { continueVerification } from './operations/continue-verification.ts';
import { createJournalClock, type JournalClock } from './operations/journal-clock.ts';
import { createListOldHolds, type ListOldHolds } from './operations/list-old-holds.ts';
import { createLoadAccount, type LoadAccount } from './operations/load-account.ts';
import { openPriceListCache, type PriceListCache } from './operations/price-list-cache.ts';
import { createQuarantine, type Quarantine } from './operations/quarantine.ts';
import { createReadStanding, type ReadStanding } from './operations/read-standing.ts';
import { createReadStatement, type ReadStatement } from './operations/read-statement.ts';
import { createReadUsage, type ReadUsage } from './operations/read-usage.ts';
import { createRecentEntries } from './operations/recent-entries.ts';
import { createRollUpUsage } from './operations/roll-up-usage.ts';
import { createRunLeased, type RunLeased } from './operations/run-leased.ts';
import {
  createVerificationRunner,
  type VerificationRunner,
} from './operations/run-verification.ts';
import { createSnapshotSaver, type SnapshotSaver } from './operations/save-snapshots.ts';
import { createSnapshotPass, type SnapshotPass } from './operations/snapshot-pass.ts';
import { type VerifyJournalDeps, verifyJournal } from './operations/verify-journal.ts';
import { createCheckpointStore } from './storage/checkpoint-store.ts';
import { createJournal, type Journal } from './storage/journal.ts';
import { createLeaseStore } from './storage/lease-store.ts';
import { createPriceListStore } from './storage/price-list-store.ts';
import { createQuarantineStore, type QuarantineStore } from './storage/quarantine-store.ts';
import { createSnapshotStore, type SnapshotStore } from './storage/snapshot-store.ts';
import { readStoreTime } from './storage/store-time.ts';
import { createUsageStore, type UsageStore } from './storage/usage-store.ts';
import { createVerificationStore, type VerificationStore } from './storage/verification-store.ts';

export interface OpenLedgerDeps {
  /** With the indexes of `storage/collections.ts`. */
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
  readonly config: Pick<
    BillingLedgerConfig,
    'commits' | 'cache' | 'snapshots' | 'clockOffsetMaxMs' | 'checkpointKeys'
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
  readonly snapshots: SnapshotSaver;
  readonly snapshotPass: SnapshotPass;
  readonly loadAccount: LoadAccount;
  readonly readStanding: ReadStanding;
  readonly readStatement: ReadStatement;
  readonly readUsage: ReadUsage;
  readonly listOldHolds: ListOldHolds;
  readonly quarantine: Quarantine;
  readonly quarantined: QuarantineStore;
  readonly verifier: VerificationRunner;
  readonly verifications: VerificationStore;
}

const commitBytesMax = 256 * 1024;
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
    verifications: createVerificationStore(db),
  };
  const { journal, verifications } = stores;
  const prices = await openPriceListCache(createPriceListStore(db));
  const journalClock = await openJournalClock(deps);
  const loadAccount = createLoadAccount(stores);
  const cache = createAccountCache(config.cache.accountsMax);
  const { everyEntries, passIntervalMs: intervalMs } = config.snapshots;
  const derived = { snapshots: stores.snapshots, rollUpUsage: createRollUpUsage(stores), logger };
  const leases = createLeaseStore(db);
  const runLeased = createRunLeased({ ...deps, leases, holder: writer });
  const snapshots = createSnapshotSaver({ ...derived, cache, everyEntries });
  const passing = { ...derived, journal, loadAccount, runLeased, clock, intervalMs };
  const quarantined = createQuarantineStore(db);
  const quarantine = createQuarantine({ store: quarantined, now, logger });
  await quarantine.reload();
  const commitCommands = createCommitCommands({
    ...{ journal, quarantine, loadAccount, cache, prices },
    recent: createRecentEntries(config.cache.recentKeysMax),
    clock: journalClock,
    limits: { entriesMax: config.commits.entriesMax, bytesMax: commitBytesMax },
    onCommitted: (cached, entries) => {
      countEntries(entries);
      snapshots.noteCommit(cached);
    },
  });
  return {
    ...{ commitCommands, journal, cache, journalClock, prices, snapshots, loadAccount },
    snapshotPass: createSnapshotPass(passing),
    readStanding: createReadStanding({ journal, loadAccount, clock }),
    readStatement: createReadStatement(journal),
    readUsage: createReadUsage({ ...stores, limits: usageLimits }),
    listOldHolds: createListOldHolds({ snapshots: stores.snapshots, clock }),
    ...{ quarantine, quarantined, verifications },
    verifier: openVerifier(deps, { ...stores, prices, now, runLeased }),
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

interface VerifierParts
  extends Omit<VerifyJournalDeps, 'journal' | 'snapshots' | 'usage' | 'checkpoints'> {
  readonly journal: Journal;
  readonly snapshots: SnapshotStore;
  readonly usage: UsageStore;
  readonly verifications: VerificationStore;
  readonly runLeased: RunLeased;
}

/** Without a key nothing can be continued from. */
function openVerifier(
  { db, clock, logger, stopping, config }: OpenLedgerDeps,
  { verifications, runLeased, ...parts }: VerifierParts,
): VerificationRunner {
  const keys = config.checkpointKeys.map((key) => Buffer.from(key, 'base64url'));
  const [first, ...others] = keys;
  const checkpoints = first ? createCheckpointStore(db, [first, ...others]) : null;
  return createVerificationRunner({
    verifyFull: (options) => verifyJournal({ ...parts, checkpoints }, options),
    verifyChanged: checkpoints
      ? (options) => continueVerification({ ...parts, checkpoints }, options)
      : null,
    verifications,
    runLeased,
    clock,
    stopping,
    logger,
  });
}
