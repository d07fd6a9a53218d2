import type { Clock } from '@inventory/runtime/clock';
import { asRead, type IdentityLimits, type IdentityState } from './egress-identity.domain.ts';
import type { IdentityStore } from './identity-store.ts';
import type { SlotClaim } from './slot-order.domain.ts';

const ageMinMs = 250;
/** All are read at once: this bounds the documents read to a hundred a second. */
const agePerIdentityMs = 10;

/**
 * The identities as this replica last read or wrote them. A save fails where another replica wrote
 * meanwhile, and that identity is read again.
 */
export type IdentityCache = ReturnType<typeof createIdentityCache>;

export function createIdentityCache(
  store: IdentityStore,
  identityIds: readonly string[],
  limits: IdentityLimits,
  /** Longest time of a request. */
  requestMaxMs: number,
  clock: Clock,
) {
  const cached = new Map<string, IdentityState>();
  let loadedMs = Number.NEGATIVE_INFINITY;
  /** The read in progress, shared by every request. */
  let loading: Promise<void> | null = null;

  const ageMaxMs = Math.max(ageMinMs, identityIds.length * agePerIdentityMs);

  async function load(ids: readonly string[]): Promise<void> {
    const stored = await store.loadIdentities(ids);
    const nowMs = clock.now();
    for (const identity of stored) {
      const known = cached.get(identity.id);
      cached.set(identity.id, asRead(identity, known, limits, requestMaxMs, nowMs));
    }
  }

  async function loadAll(): Promise<void> {
    await load(identityIds);
    loadedMs = clock.now();
  }

  async function save(previous: IdentityState, next: IdentityState): Promise<boolean> {
    const saved = await store.saveIdentity(previous, next);
    if (saved) cached.set(next.id, saved);
    else await load([next.id]);
    return saved !== null;
  }

  return {
    /** At most a quarter of a second old, or ten milliseconds for each of many identities. */
    async currentIdentities(): Promise<IdentityState[]> {
      // Also where the clock was set back.
      if (Math.abs(clock.now() - loadedMs) > ageMaxMs) {
        loading ??= loadAll().finally(() => {
          loading = null;
        });
        await loading;
      }
      return [...cached.values()];
    },
    saveIdentity: save,
    /** Null ends the claim of this replica. */
    async saveClaim(
      { id, claims }: IdentityState,
      replica: string,
      claim: SlotClaim | null,
    ): Promise<void> {
      await store.saveClaim(id, replica, claim);
      const { [replica]: _own, ...others } = claims;
      const identity = cached.get(id);
      const all = claim === null ? others : { ...others, [replica]: claim };
      if (identity) cached.set(id, { ...identity, claims: all });
    },
    /** Saves a change of the stored identity; nothing is saved when `change` returns it unchanged. */
    async updateIdentity(
      identityId: string,
      change: (identity: IdentityState) => IdentityState,
    ): Promise<void> {
      for (let isRead = false; ; isRead = true) {
        const identity = cached.get(identityId);
        if (identity) {
          const next = change(identity);
          if (next === identity ? isRead : await save(identity, next)) return;
        }
        await load([identityId]);
      }
    },
  };
}
