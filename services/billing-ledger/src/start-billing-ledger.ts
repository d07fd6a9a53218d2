import { startLoop } from '@inventory/runtime/loop';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import type { BillingLedgerConfig } from './config.ts';
import { createOnBillingCommands } from './consumers/on-billing-commands.ts';
import { createLedgerRouter } from './http/router.ts';
import { countEntries, observeCachedAccounts } from './metrics.ts';
import { createAccountCache } from './operations/account-cache.ts';
import { createCommitCommands } from './operations/commit-commands.ts';
import { createSnapshotKeeper } from './operations/keep-snapshots.ts';
import { createListOldHolds } from './operations/list-old-holds.ts';
import { createLoadAccount } from './operations/load-account.ts';
import { openPriceKeeper } from './operations/price-keeper.ts';
import { createReadStatement } from './operations/read-statement.ts';
import { createRecentEntries } from './operations/recent-entries.ts';
import { createSnapshotPass } from './operations/snapshot-pass.ts';
import { createVerifyJournal } from './operations/verify-journal.ts';
import { ledgerIndexes } from './storage/collections.ts';
import { createJournal } from './storage/journal.ts';
import { createPriceListStore } from './storage/price-list-store.ts';
import { createSnapshotStore } from './storage/snapshot-store.ts';

const commitBytesMax = 256 * 1024;
const snapshotIdleMs = 1_000;
const stopSnapshotsMs = 6_000;

export async function startBillingLedger(
  context: ServiceContext<BillingLedgerConfig>,
): Promise<StartedService> {
  const { config, lifetime, logger, clock, identifiers } = context;
  const { db, bus, health } = await openBackends(context, 'billing-ledger', ledgerIndexes);

  const journal = createJournal(db, identifiers.uuidV7());
  const snapshots = createSnapshotStore(db);
  const prices = await openPriceKeeper(createPriceListStore(db));

  const loadAccount = createLoadAccount({ journal, snapshots });
  const cache = createAccountCache(config.cache.accountsMax);
  observeCachedAccounts(() => cache.size);
  const { everyEntries, passIntervalMs } = config.snapshots;
  const keeper = createSnapshotKeeper({ cache, snapshots, everyEntries });
  const commitCommands = createCommitCommands({
    journal,
    loadAccount,
    cache,
    recent: createRecentEntries(config.cache.recentKeysMax),
    prices,
    clock,
    limits: { entriesMax: config.commits.entriesMax, bytesMax: commitBytesMax },
    onCommitted: (cached, entries) => {
      countEntries(entries);
      if (keeper.noteCommit(cached)) snapshotLoop.wake();
    },
  });
  const pass = createSnapshotPass({ journal, snapshots, loadAccount, clock, logger });

  const loop = (name: string, idleMs: number, work: () => Promise<void>) => {
    const round = async () => {
      await work();
      return false;
    };
    const started = startLoop({ name, idleMs, logger, round });
    lifetime.defer(name, () => started.stop());
    return started;
  };
  loop('price lists', config.priceRefreshIntervalMs, prices.refresh);
  const snapshotLoop = loop('snapshots', snapshotIdleMs, keeper.saveDue);
  loop('snapshot pass', passIntervalMs, () => pass.bringUpTo(clock.now() - passIntervalMs));
  lifetime.defer('last snapshots', () => keeper.saveAll(stopSnapshotsMs));

  const subscription = await bus.consume({
    group: 'billing-ledger',
    topics: ['billing.commands.v1'],
    batchMax: config.commits.commandsMax,
    onBatch: createOnBillingCommands({ commitCommands, bus, logger }),
    onReassigned: cache.dropAll,
  });
  lifetime.defer('billing commands', () => subscription.stop());

  const router = createLedgerRouter({
    journal,
    loadAccount,
    readStatement: createReadStatement(journal),
    listOldHolds: createListOldHolds({ snapshots, pass, loadAccount, clock, logger }),
    verifyJournal: createVerifyJournal({ journal, snapshots, prices }),
    prices,
    clock,
  });
  return serveInternal(context, router, health);
}
