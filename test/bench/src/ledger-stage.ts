import type { Command } from '@inventory/billing-ledger/accounts/command.domain';
import { type Ledger, openLedger } from '@inventory/billing-ledger/open-ledger';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { Db } from 'mongodb';
import { silentLogger } from './bench-bus.ts';

/** A ledger on its store, as its service opens it. */
export function openBenchLedger(db: Db): Promise<Ledger> {
  return openLedger({
    db,
    clock: systemClock,
    identifiers: systemIdentifiers,
    stopping: new AbortController().signal,
    logger: silentLogger,
    config: {
      commits: { commandsMax: 500, entriesMax: 500 },
      cache: { accountsMax: 20_000, recentKeysMax: 100_000 },
      snapshots: { everyEntries: 200, passIntervalMs: 3_600_000 },
      clockOffsetMaxMs: 60_000,
    },
  });
}

/** Rejects where a command has no answer. */
export async function commitAll(ledger: Ledger, commands: readonly Command[]): Promise<void> {
  const items = commands.map((command) => ({ command }));
  const { quarantined, behind } = await ledger.commitCommands(items, async () => {});
  const unanswered = quarantined.length + behind.length;
  if (unanswered > 0) throw new Error(`${unanswered} commands have no answer`);
}
