import type { Clock } from '@inventory/runtime/clock';
import type { IdentityState } from './egress-identity.domain.ts';
import type { IdentityStore } from './identity-store.ts';

/**
 * The identities as this replica last read or wrote them. A save fails where another replica wrote
 * meanwhile, and all are read again.
 */
export interface IdentityCache {
  /** At most a quarter of a second old. */
  currentIdentities(): Promise<IdentityState[]>;
  saveIdentity(previous: IdentityState, next: IdentityState): Promise<boolean>;
  /** Saves a change of the stored identity; nothing is saved when `change` returns it unchanged. */
  updateIdentity(
    identityId: string,
    change: (identity: IdentityState) => IdentityState,
  ): Promise<void>;
}

const ageMaxMs = 250;

export function createIdentityCache(
  store: IdentityStore,
  identityIds: readonly string[],
  clock: Clock,
): IdentityCache {
  const cached = new Map<string, IdentityState>();
  let loadedMs = Number.NEGATIVE_INFINITY;

  async function load(): Promise<void> {
    for (const identity of await store.loadIdentities(identityIds))
      cached.set(identity.id, identity);
    loadedMs = clock.now();
  }

  async function save(previous: IdentityState, next: IdentityState): Promise<boolean> {
    const saved = await store.saveIdentity(previous, next);
    if (saved) cached.set(next.id, next);
    else loadedMs = Number.NEGATIVE_INFINITY;
    return saved;
  }

  return {
    async currentIdentities() {
      if (clock.now() - loadedMs > ageMaxMs) await load();
      return [...cached.values()];
    },
    saveIdentity: save,
    async updateIdentity(identityId, change) {
      for (let isRead = false; ; isRead = true) {
        const identity = cached.get(identityId);
        if (identity) {
          const next = change(identity);
          if (next === identity ? isRead : await save(identity, next)) return;
        }
        await load();
      }
    },
  };
}
