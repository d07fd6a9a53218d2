import { type PeriodicJobOptions, startPeriodicJob } from '@inventory/runtime/periodic-job';
import { openBackends } from '@inventory/service-host/open-backends';
import { serveInternal } from '@inventory/service-host/serve-internal';
import type { ServiceContext, StartedService } from '@inventory/service-host/service-context';
import { ledgerIndexes } from './collections.ts';
import type { BillingLedgerConfig } from './config.ts';
import { ledgerRoutes } from './http/ledger-routes.ts';
import { createOnBillingCommands } from './journal/on-billing-commands.ts';
import { observeLedger, observeVerification } from './metrics.ts';
import { openLedger } from './open-ledger.ts';
import { createAnnouncePriceLists } from './prices/announce-price-lists.ts';
import { createHoldWatch } from './snapshots/old-holds.ts';

/** An account is at most this far past the snapshot it is due for. */
const snapshotIntervalMs = 1_000;
const lastSnapshotsMs = 6_000;
/** How long an account whose snapshot another replica rebuilds waits for the next try. */
const rebuildIntervalMs = 200;
const noneToRebuildMs = 600_000;
const oldHoldsIntervalMs = 60_000;
const clockIntervalMs = 30_000;
const verificationReadMs = 30_000;
const quarantineIntervalMs = 30_000;
/** How often each replica checks whether a verification is due. */
const verificationCheckMs = 60_000;
/** How often each replica checks within an interval whether a pass is due. */
const passChecks = 4;

export async function startBillingLedger(
  context: ServiceContext<BillingLedgerConfig>,
): Promise<StartedService> {
  const { config, lifetime, logger, clock } = context;
  const { db, bus, health } = await openBackends(context, 'billing-ledger', ledgerIndexes);
  const ledger = await openLedger(context, db);
  const { passIntervalMs } = config.snapshots;
  const holdWatch = createHoldWatch(ledger.listOldHolds);
  observeLedger({ ...ledger, holdWatch, clock });
  observeVerification(ledger.verifier.last, () => clock.now());

  const repeat = (
    name: string,
    intervalMs: PeriodicJobOptions['intervalMs'],
    runOnce: () => Promise<void>,
  ) => startPeriodicJob({ name, intervalMs, lifetime, logger, runOnce });
  repeat('journal clock', clockIntervalMs, ledger.journalClock.measure);
  const announcePriceLists = createAnnouncePriceLists({ ...ledger, bus });
  repeat('price lists', config.priceRefreshIntervalMs, async () => {
    await ledger.prices.reload();
    await announcePriceLists();
  });
  repeat('snapshots', snapshotIntervalMs, ledger.snapshots.saveDue);
  const { rebuilds } = ledger;
  const rebuildPauseMs = () => (rebuilds.size > 0 ? rebuildIntervalMs : noneToRebuildMs);
  rebuilds.onAdded(repeat('snapshot rebuild', rebuildPauseMs, rebuilds.run).wake);
  repeat('snapshot pass', passIntervalMs / passChecks, ledger.snapshotPass);
  repeat('old holds', oldHoldsIntervalMs, holdWatch.round);
  repeat('quarantine', quarantineIntervalMs, ledger.quarantine.reload);
  repeat('verification record', verificationReadMs, ledger.verifier.readLast);
  if (config.verifyIntervalMs > 0) {
    repeat('verification', Math.min(config.verifyIntervalMs, verificationCheckMs), () =>
      ledger.verifier.runIfDue(config.verifyIntervalMs),
    );
  }
  lifetime.defer('last snapshots', () => ledger.snapshots.saveAll(lastSnapshotsMs));

  const subscription = await bus.consume({
    group: 'billing-ledger',
    topics: ['billing.commands.v1'],
    batchMax: config.commits.commandsMax,
    onBatch: createOnBillingCommands(ledger.commitCommands, bus, logger),
    onReassigned: ledger.cache.dropAll,
  });
  lifetime.defer('billing commands', () => subscription.stop());

  const notReady = async () => [...(await health.notReady()), ...ledger.journalClock.problems()];
  const routes = ledgerRoutes.map((route) => route.bind(ledger));
  return serveInternal(context, routes, { ...health, notReady });
}
