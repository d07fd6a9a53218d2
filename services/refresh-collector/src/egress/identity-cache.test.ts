import { freshIdentity, type IdentityState } from './egress-identity.domain.ts';
import { createIdentityCache } from './identity-cache.ts';
import type { IdentityStore } from './identity-store.ts';

/** One stored identity, and how often it was read and written. */
function storeOf(stored: IdentityState) {
  const counts = { loads: 0, saves: 0 };
  const store: IdentityStore = {
    async loadIdentities() {
      counts.loads += 1;
      return [stored];
    },
    async saveIdentity(previous, next) {
      counts.saves += 1;
      if (previous.version !== stored.version || next === previous) return false;
      stored = next;
      return true;
    },
  };
  const identities = createIdentityCache(store, [stored.id], { now: () => 0 });
  return {
    identities,
    counts,
    stored: () => stored,
    become: (next: IdentityState) => (stored = next),
  };
}

const held = (token: string, version: number): IdentityState => ({
  ...freshIdentity('a'),
  version,
  inFlight: { token, untilMs: 100 },
});
const release = (token: string) => (identity: IdentityState) =>
  identity.inFlight?.token === token
    ? { ...identity, version: identity.version + 1, inFlight: null }
    : identity;

test('a change of nothing writes nothing and ends', async () => {
  const { identities, counts, stored } = storeOf(held('another', 4));

  await identities.updateIdentity('a', release('mine'));

  expect(counts).toEqual({ loads: 1, saves: 0 });
  expect(stored()).toEqual(held('another', 4));
});

test('a change of nothing is decided by the stored identity, not by the cached one', async () => {
  const { identities, stored, become } = storeOf(freshIdentity('a'));
  await identities.currentIdentities();
  become(held('mine', 1));

  await identities.updateIdentity('a', release('mine'));

  expect(stored()).toEqual({ ...freshIdentity('a'), version: 2 });
});

test('a change that another replica was before is made to what that one left', async () => {
  const { identities, stored, become } = storeOf(held('mine', 1));
  await identities.currentIdentities();
  become({ ...held('mine', 2), refusals: 3 });

  await identities.updateIdentity('a', release('mine'));

  expect(stored()).toEqual({ ...freshIdentity('a'), version: 3, refusals: 3 });
});
