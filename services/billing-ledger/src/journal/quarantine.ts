import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { QuarantineStore } from './quarantine-store.ts';

/** The accounts of which no command is evaluated until an operator lifts it. */
export interface Quarantine {
  /** Reads the store for accounts known to be in it only: others cost nothing. */
  has(accountId: AccountId): Promise<boolean>;
  add(accountId: AccountId, detail: string): Promise<void>;
  /** Reads what other replicas added. */
  reload(): Promise<void>;
  readonly size: number;
}

/** More than this are found again by loading them. */
const accountsMax = 10_000;

export function createQuarantine({
  store,
  clock,
  logger,
}: {
  readonly store: QuarantineStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): Quarantine {
  let known = new Set<AccountId>();
  return {
    async has(accountId) {
      if (!known.has(accountId)) return false;
      if (await store.isQuarantined(accountId)) return true;
      known.delete(accountId);
      return false;
    },
    async add(accountId, detail) {
      logger.error({ account_id: accountId, detail }, 'account quarantined');
      await store.insertQuarantined({ accountId, sinceMs: clock.now(), detail });
      known.add(accountId);
    },
    async reload() {
      const listed = await store.listQuarantined(accountsMax);
      known = new Set(listed.map(({ accountId }) => accountId));
    },
    get size() {
      return known.size;
    },
  };
}
