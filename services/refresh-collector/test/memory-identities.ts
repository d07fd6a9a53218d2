import { freshIdentity, type IdentityState } from '../src/egress/egress-identity.domain.ts';
import type { IdentityStore } from '../src/egress/identity-store.ts';

export interface MemoryIdentities extends IdentityStore {
  readonly writes: { saves: number; claims: number };
}

/** The identities of several replicas, in memory. */
export function memoryIdentities(): MemoryIdentities {
  const stored = new Map<string, IdentityState>();
  const writes = { saves: 0, claims: 0 };
  return {
    writes,
    async loadIdentities(ids) {
      for (const id of ids) if (!stored.has(id)) stored.set(id, freshIdentity(id));
      return ids.flatMap((id) => stored.get(id) ?? []);
    },
    async saveIdentity(previous, next) {
      const before = stored.get(next.id);
      if (before?.version !== previous.version) return null;
      writes.saves += 1;
      const claims = next.claims === previous.claims ? before.claims : next.claims;
      const saved = { ...next, claims };
      stored.set(next.id, saved);
      return saved;
    },
    async saveClaim(id, replica, claim) {
      writes.claims += 1;
      const { [replica]: _own, ...claims } = stored.get(id)?.claims ?? {};
      const all = claim === null ? claims : { ...claims, [replica]: claim };
      stored.set(id, { ...(stored.get(id) ?? freshIdentity(id)), claims: all });
    },
  };
}
