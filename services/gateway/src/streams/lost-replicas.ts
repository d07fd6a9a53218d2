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
