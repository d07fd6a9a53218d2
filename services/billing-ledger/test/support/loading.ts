import {
  createLoadAccount,
  createLoadPart,
  type LoadAccountDeps,
} from '../../src/journal/load-account.ts';

/** Loads accounts whatever they have behind their snapshot; without one by default. */
export function loadingFrom(
  journal: LoadAccountDeps['journal'],
  findSnapshot: LoadAccountDeps['snapshots']['findSnapshot'] = async () => null,
) {
  const entriesMax = Number.POSITIVE_INFINITY;
  const snapshots = { findSnapshot };
  const loadPart = createLoadPart({ journal, snapshots, entriesMax });
  return createLoadAccount(loadPart, neverBehind);
}

export function neverBehind(): never {
  throw new Error('no snapshot has to be rebuilt');
}
