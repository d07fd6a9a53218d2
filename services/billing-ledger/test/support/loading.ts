import { only } from '@inventory/testkit/only';
import type { Journal } from '../../src/journal/journal-store.ts';
import { createLoadAccount, createLoadPart } from '../../src/journal/load-account.ts';
import type { SnapshotStore } from '../../src/snapshots/snapshot-store.ts';

/** Loads accounts whatever follows their snapshot; without one by default. */
export function loadingFrom(
  journal: Pick<Journal, 'readCommits'>,
  findSnapshot: SnapshotStore['findSnapshot'] = async () => null,
) {
  const entriesMax = Number.POSITIVE_INFINITY;
  const snapshots = { findSnapshot };
  const loadPart = createLoadPart({
    journal: only(journal),
    snapshots: only(snapshots),
    entriesMax,
  });
  return createLoadAccount(loadPart, neverOutdated);
}

export function neverOutdated(): never {
  throw new Error('no snapshot has to be rebuilt');
}
