import type { Clock } from '@inventory/runtime/clock';
import type { IdentityState } from './egress-identity.domain.ts';
import type { IdentityStore } from './identity-store.ts';

/**
 * The identities as this replica last read or wrote them. Where another replica wrote meanwhile a
 * save fails, and all are read again: nothing is done on what is out of date.
 */
export interface KnownIdentities {
  /** At most a quarter of a second old. */
  current(): Promise<IdentityState[]>;
  save(previous: IdentityState, next: IdentityState): Promise<boolean>;
  /** Saves a change of whatever the identity is now; nothing where it is returned as it is. */
  update(identityId: string, change: (identity: IdentityState) => IdentityState): Promise<void>;
}

const ageMaxMs = 250;

export function createKnownIdentities(
  store: IdentityStore,
  identityIds: readonly string[],
  clock: Clock,
): KnownIdentities {
  const known = new Map<string, IdentityState>();
  let loadedMs = Number.NEGATIVE_INFINITY;

  async function load(): Promise<void> {
    for (const identity of await store.load(identityIds)) known.set(identity.id, identity);
    loadedMs = clock.now();
  }

  async function save(previous: IdentityState, next: IdentityState): Promise<boolean> {
    const saved = await store.save(previous, next);
    if (saved) known.set(next.id, next);
    else loadedMs = Number.NEGATIVE_INFINITY;
    return saved;
  }

  return {
    async current() {
      if (clock.now() - loadedMs > ageMaxMs) await load();
      return [...known.values()];
    },
    save,
    async update(identityId, change) {
      for (let isRead = false; ; isRead = true) {
        const identity = known.get(identityId);
        if (identity) {
          const next = change(identity);
          if (next === identity ? isRead : await save(identity, next)) return;
        }
        await load();
      }
    },
  };
}
