import type { Clock } from '@inventory/runtime/clock';
import {
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
} from './egress-identity.domain.ts';
import type { EgressQueue } from './egress-queue.ts';
import type { IdentityCache } from './identity-cache.ts';
import type { InUse, SlotClaim } from './slot-order.domain.ts';

/** A free slot is left to the claim of another replica for so long: that one may be lost. */
const leftMaxMs = 1_000;

/**
 * What waits for a slot on several replicas, so that the most urgent of all has the next one. A claim is
 * of one slot, and stored with its identity by a replica that waits while another one has had the
 * identity last or claims it. A replica that is alone claims nothing.
 */
export function createSlotClaims(
  replica: string,
  identities: IdentityCache,
  queue: EgressQueue<unknown>,
  limits: IdentityLimits,
  clock: Clock,
) {
  /** Since when this replica leaves a slot, by identity: no two clocks are compared. */
  const left = new Map<string, { readonly version: number; readonly sinceMs: number }>();
  let claimed: string | null = null;

  const claimsOfOthers = ({ claims }: IdentityState): readonly SlotClaim[] =>
    Object.entries(claims).flatMap(([by, claim]) => (by === replica ? [] : claim));
  const isContested = (identity: IdentityState) =>
    (identity.holder ?? replica) !== replica || claimsOfOthers(identity).length > 0;

  function hasTime({ id, version }: IdentityState): boolean {
    const nowMs = clock.now();
    const known = left.get(id);
    const sinceMs = known?.version === version ? known.sinceMs : nowMs;
    left.set(id, { version, sinceMs });
    // A clock that was set back leaves it no longer.
    return nowMs >= sinceMs && nowMs - sinceMs < leftMaxMs;
  }

  return {
    /** The claims of others on a slot that is free, until they have had their time. */
    ofOthers(identity: IdentityState) {
      const others = claimsOfOthers(identity);
      const claims = others.length > 0 && hasTime(identity) ? others : [];
      return { claims, wasOwn: identity.holder === replica };
    },
    /** Claims the slot that is free next for what waits here, one at a time. */
    async claim(all: readonly IdentityState[], use: InUse): Promise<void> {
      const own = all.filter(({ claims }) => claims[replica] !== undefined);
      const candidates = own.length > 0 ? own : all.filter(isContested);
      const freeAtMs = (identity: IdentityState) => nextRequestMs(identity, limits);
      for (const identity of candidates.toSorted((a, b) => freeAtMs(a) - freeAtMs(b))) {
        const claim = queue.claimOf({ identityId: identity.id, ...use });
        if (claim === null) continue;
        claimed = identity.id;
        const { isLive, deadlineMs } = identity.claims[replica] ?? {};
        const isKnown = isLive === claim.isLive && deadlineMs === claim.deadlineMs;
        return isKnown ? undefined : await identities.saveClaim(identity, replica, claim);
      }
    },
    /** Nothing waits: a slot that was left to this replica would be lost. */
    async withdraw(): Promise<void> {
      if (claimed === null) return;
      const all = await identities.currentIdentities();
      const identity = all.find(({ id, claims }) => id === claimed && claims[replica]);
      if (identity) await identities.saveClaim(identity, replica, null);
      claimed = null;
    },
  };
}
