import type { Clock } from '@inventory/runtime/clock';
import type { QueuedAccount, WaitingAccount } from '../domain/scan-turns.ts';
import type { RunningScan } from '../storage/scan-store.ts';

/** Which account this replica served when. Each replica keeps its own turns: all are fair. */
export interface ScanTurns {
  note(accountId: string): void;
  of(queued: readonly QueuedAccount[], running: readonly RunningScan[]): WaitingAccount[];
}

const rememberedMax = 10_000;

export function createScanTurns(clock: Clock): ScanTurns {
  const lastTurns = new Map<string, number>();
  return {
    note(accountId) {
      lastTurns.delete(accountId);
      lastTurns.set(accountId, clock.now());
      const [oldest] = lastTurns.keys();
      if (lastTurns.size > rememberedMax && oldest !== undefined) lastTurns.delete(oldest);
    },
    of: (queued, running) =>
      queued.map((account) => ({
        ...account,
        runningScans: running.filter(({ accountId }) => accountId === account.accountId).length,
        lastTurnMs: lastTurns.get(account.accountId) ?? 0,
      })),
  };
}
