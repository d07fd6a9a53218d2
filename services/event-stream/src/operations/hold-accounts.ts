import type { AccountId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { AccountLeases } from '../storage/account-leases.ts';

export interface HeldAccountsDeps {
  readonly leases: AccountLeases;
  readonly clock: Clock;
  /** Names this replica. */
  readonly owner: string;
  /** Longest duration of a request, its record included. */
  readonly requestMs: number;
}

/**
 * The accounts that this replica sends to: one replica at a time, so that the limits of an account
 * and of an endpoint hold over all replicas.
 */
export interface HeldAccounts {
  /** Those of the accounts to which a request may start now. */
  acquire(accountIds: Iterable<AccountId>): Promise<ReadonlySet<AccountId>>;
  /** Renews the leases in use, releases those without requests. */
  maintain(isBusy: (accountId: AccountId) => boolean): Promise<void>;
  releaseAll(): Promise<void>;
}

/** By how much the clocks of two replicas may differ. */
const clockSkewMs = 5_000;
const renewEveryMs = 5_000;
/** A lease without requests is kept for this long, since the next event often follows soon. */
const idleMs = 1_000;
/** Pause before a lease of another replica is requested again. */
const refusedMs = 1_000;

export function createHeldAccounts(deps: HeldAccountsDeps): HeldAccounts {
  const { leases, clock, owner } = deps;
  // A request that starts under a lease ends under it, also when it cannot be renewed any more.
  const neededMs = deps.requestMs + clockSkewMs;
  const leaseMs = neededMs + 2 * renewEveryMs;
  const held = new Map<AccountId, { untilMs: number; usedMs: number }>();
  const refusedUntilMs = new Map<AccountId, number>();

  const isHeld = (accountId: AccountId) =>
    (held.get(accountId)?.untilMs ?? 0) - clock.now() >= neededMs;

  async function request(accountIds: readonly AccountId[]): Promise<void> {
    const nowMs = clock.now();
    const untilMs = nowMs + leaseMs;
    const own = await leases.acquire(accountIds, { owner, nowMs, untilMs });
    for (const accountId of accountIds) {
      const endMs = own.get(accountId);
      if (endMs === undefined) refusedUntilMs.set(accountId, nowMs + refusedMs);
      else held.set(accountId, { untilMs: endMs, usedMs: nowMs });
    }
  }

  async function renew(accountIds: readonly AccountId[]): Promise<void> {
    const untilMs = clock.now() + leaseMs;
    const own = new Set(await leases.renew(accountIds, owner, untilMs));
    for (const accountId of accountIds) {
      const lease = held.get(accountId);
      if (lease && own.has(accountId)) lease.untilMs = untilMs;
      else held.delete(accountId);
    }
  }

  return {
    async acquire(accountIds) {
      const nowMs = clock.now();
      const wanted = [...new Set(accountIds)];
      const missing = wanted.filter(
        (id) => !held.has(id) && (refusedUntilMs.get(id) ?? 0) <= nowMs,
      );
      if (missing.length > 0) await request(missing);
      const usable = wanted.filter(isHeld);
      for (const [id, lease] of held) if (usable.includes(id)) lease.usedMs = nowMs;
      return new Set(usable);
    },
    async maintain(isBusy) {
      const nowMs = clock.now();
      for (const [id, untilMs] of refusedUntilMs) if (untilMs <= nowMs) refusedUntilMs.delete(id);
      const isIdle = (id: AccountId, usedMs: number) => !isBusy(id) && nowMs - usedMs >= idleMs;
      const all = [...held];
      const idle = all.filter(([id, { usedMs }]) => isIdle(id, usedMs)).map(([id]) => id);
      for (const id of idle) held.delete(id);
      if (idle.length > 0) await leases.release(idle, owner);
      const old = [...held].filter(([, { untilMs }]) => untilMs - nowMs <= leaseMs - renewEveryMs);
      if (old.length > 0) await renew(old.map(([id]) => id));
    },
    async releaseAll() {
      const ids = [...held.keys()];
      held.clear();
      if (ids.length > 0) await leases.release(ids, owner);
    },
  };
}
