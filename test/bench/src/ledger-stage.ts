import type { Command } from '@inventory/billing-ledger/accounts/command.domain';
import type { BillingLedgerConfig } from '@inventory/billing-ledger/config';
import { type Ledger, openLedger } from '@inventory/billing-ledger/open-ledger';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openLifetime } from '@inventory/runtime/lifetime';
import { only } from '@inventory/testkit/only';
import type { Db } from 'mongodb';
import { silentLogger } from './bench-bus.ts';

/** A ledger on its store, as its service opens it. */
export function openBenchLedger(db: Db): Promise<Ledger> {
  const config = only<BillingLedgerConfig>({
    commits: { commandsMax: 500, entriesMax: 500 },
    cache: { accountsMax: 20_000, recentKeysMax: 100_000 },
    snapshots: { everyEntries: 200, passIntervalMs: 3_600_000 },
    clockOffsetMaxMs: 60_000,
  });
  return openLedger(
    {
      config,
      clock: systemClock,
      identifiers: systemIdentifiers,
      lifetime: openLifetime(silentLogger, 0),
      logger: silentLogger,
    },
    db,
  );
}

/** Rejects where a command has no result. */
export async function commitAll(ledger: Ledger, commands: readonly Command[]): Promise<void> {
  const items = commands.map((command) => ({ command }));
  const { quarantined, outdated } = await ledger.commitCommands(items, async () => {});
  const undecided = quarantined.length + outdated.length;
  if (undecided > 0) throw new Error(`${undecided} commands have no result`);
}
