import type { AccountCache } from '../journal/account-cache.ts';
import type { ListOldHolds } from './old-holds.ts';

export interface HoldWatch {
  /** What is known of open holds now: in memory, and of old ones as last looked up. */
  holds(): { readonly open: number; readonly oldestAtMs: number | null };
  /** Finds the oldest hold of any account, cached here or not. */
  round(): Promise<void>;
}

export interface HoldWatchDeps {
  readonly cache: Pick<AccountCache, 'all'>;
  readonly listOldHolds: ListOldHolds;
  /** Holds younger than this are looked for in memory only; snapshots may not have them yet. */
  readonly oldMs: number;
}

export function watchHolds({ cache, listOldHolds, oldMs }: HoldWatchDeps): HoldWatch {
  let oldOneAtMs: number | null = null;

  return {
    holds() {
      let open = 0;
      let oldestAtMs = oldOneAtMs ?? Number.POSITIVE_INFINITY;
      for (const { account } of cache.all()) {
        if (account.holds.size === 0) continue;
        open += account.holds.size;
        for (const bucket of account.holds.buckets) {
          for (const { reservedAt } of bucket) oldestAtMs = Math.min(oldestAtMs, reservedAt);
        }
      }
      return { open, oldestAtMs: Number.isFinite(oldestAtMs) ? oldestAtMs : null };
    },
    async round() {
      const { holds } = await listOldHolds({ olderThanMs: oldMs, limit: 1 });
      const [found] = holds;
      oldOneAtMs = found?.hold.reservedAt ?? null;
    },
  };
}
