import type { CredentialId, ProjectId, RefreshId } from '@inventory/contracts/ids';
import type { HeldProduct, LedgerAsset } from '@inventory/contracts/vocabulary';
import { LedgerConflict } from './ledger-conflict.domain.ts';

/** An open reservation: what it may cost is fixed by its amount, asset and price version. */
export interface Hold {
  readonly refreshId: RefreshId;
  readonly projectId: ProjectId;
  readonly credentialId: CredentialId | null;
  readonly productCode: HeldProduct;
  readonly asset: LedgerAsset;
  readonly amount: number;
  readonly priceVersion: number;
  readonly reservedAtMs: number;
}

/**
 * The open holds of an account. Immutable, so that a state stays valid while the next one is
 * being written; spread over buckets, so that one change copies a small part of many holds.
 */
export interface HoldSet {
  readonly size: number;
  readonly buckets: readonly (readonly Hold[])[];
}

const bucketCount = 64;
const emptyBucket: readonly Hold[] = [];

export const noHolds: HoldSet = {
  size: 0,
  buckets: Array.from({ length: bucketCount }, () => emptyBucket),
};

export function findHold(holds: HoldSet, refreshId: RefreshId): Hold | undefined {
  return bucketOf(holds, refreshId).find((hold) => hold.refreshId === refreshId);
}

/** With one more hold; its refresh must not have one. */
export function withHold(holds: HoldSet, hold: Hold): HoldSet {
  if (findHold(holds, hold.refreshId))
    throw new LedgerConflict('a refresh has at most one open hold');
  const bucket = [...bucketOf(holds, hold.refreshId), hold];
  return { size: holds.size + 1, buckets: replaced(holds, hold.refreshId, bucket) };
}

/** Without one hold, which must be there. */
export function withoutHold(holds: HoldSet, refreshId: RefreshId): HoldSet {
  const before = bucketOf(holds, refreshId);
  const bucket = before.filter((hold) => hold.refreshId !== refreshId);
  if (bucket.length === before.length)
    throw new LedgerConflict('only an open hold can be resolved');
  return { size: holds.size - 1, buckets: replaced(holds, refreshId, bucket) };
}

export function holdSetOf(holds: Iterable<Hold>): HoldSet {
  let set = noHolds;
  for (const hold of holds) set = withHold(set, hold);
  return set;
}

/** Oldest first. */
export function listHolds(holds: HoldSet): Hold[] {
  return holds.buckets.flat().sort((left, right) => left.reservedAtMs - right.reservedAtMs);
}

function bucketOf(holds: HoldSet, refreshId: RefreshId): readonly Hold[] {
  return holds.buckets[bucketIndex(refreshId)] ?? emptyBucket;
}

function replaced(holds: HoldSet, refreshId: RefreshId, bucket: readonly Hold[]) {
  return holds.buckets.with(bucketIndex(refreshId), bucket);
}

/** The end of a UUIDv7 is random: its last six bits. */
function bucketIndex(refreshId: RefreshId): number {
  return Number.parseInt(refreshId.slice(-2), 16) % bucketCount;
}
