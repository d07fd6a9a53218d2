import type { Clock } from '@inventory/runtime/clock';
import type { StreamReplicaStore } from './stream-replica-store.ts';

export interface LostReplicaDeps {
  readonly replicas: Pick<StreamReplicaStore, 'list' | 'remove'>;
  /** Time without a renewal after which a replica is removed. */
  readonly leaseMs: number;
  /** Monotonic: only durations are measured. */
  readonly clock: Clock;
}

/**
 * Removes lost replicas. The count of a running one increases; one whose count stays the same for
 * the lease, between two reads by this replica, is lost. No clock of another machine is compared, and
 * a replica that renews meanwhile is not removed.
 */
export function createLostReplicaRemoval({ replicas, leaseMs, clock }: LostReplicaDeps) {
  const seen = new Map<string, { readonly renewals: number; readonly sinceMs: number }>();

  return async (own: string): Promise<void> => {
    const sentMs = clock.now();
    const others = (await replicas.list()).filter(({ replica }) => replica !== own);
    const present = new Set(others.map(({ replica }) => replica));
    for (const replica of seen.keys()) if (!present.has(replica)) seen.delete(replica);
    for (const { replica, renewals } of others) {
      const known = seen.get(replica);
      if (known?.renewals !== renewals) seen.set(replica, { renewals, sinceMs: clock.now() });
      else if (sentMs - known.sinceMs >= leaseMs) await replicas.remove(replica, renewals);
    }
  };
}

export interface QuietReplicasDeps {
  readonly replicas: Pick<StreamReplicaStore, 'list'>;
  /** Resolves when every running replica has renewed since the call. */
  readonly untilRenewed: () => Promise<void>;
}

/** The replicas of some places, `own` excepted, that no longer renew: lost, or soon to be. */
export async function listQuietReplicas(
  { replicas, untilRenewed }: QuietReplicasDeps,
  places: readonly { readonly replica: string }[],
  own: string | null,
): Promise<ReadonlySet<string>> {
  const all = new Set(places.map(({ replica }) => replica));
  const others = [...all].filter((replica) => replica !== own);
  if (others.length === 0) return new Set();
  const count = async () =>
    new Map((await replicas.list()).map(({ replica, renewals }) => [replica, renewals]));
  const before = await count();
  await untilRenewed();
  const after = await count();
  return new Set(others.filter((replica) => before.get(replica) === after.get(replica)));
}
