import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { QuarantineStore } from './quarantine-store.ts';

/** More than this are found again by loading them. */
const accountsMax = 10_000;

/** The accounts of which no command is evaluated until an operator lifts it. */
export type Quarantine = ReturnType<typeof createQuarantine>;

export function createQuarantine({
  store,
  clock,
  logger,
}: {
  readonly store: QuarantineStore;
  readonly clock: Clock;
  readonly logger: Logger;
}) {
  let known = new Set<AccountId>();
  return {
    /** Reads the store for accounts known to be in it only: others cost nothing. */
    async has(accountId: AccountId): Promise<boolean> {
      if (!known.has(accountId)) return false;
      if (await store.isQuarantined(accountId)) return true;
      known.delete(accountId);
      return false;
    },
    async add(accountId: AccountId, detail: string): Promise<void> {
      logger.error({ accountId, detail }, 'account quarantined');
      await store.insertQuarantined({ accountId, sinceMs: clock.now(), detail });
      known.add(accountId);
    },
    /** Reads what other replicas added. */
    async reload(): Promise<void> {
      known = new Set(await store.listIds(accountsMax));
    },
    get size(): number {
      return known.size;
    },
  };
}
