import type { Snapshot } from '../../src/snapshots/snapshot-document.ts';
import { type VerifiedStores, verifyJournal } from '../../src/verification/verify-journal.ts';
import { connectUsage, emptyUsage } from './fake-usage.ts';
import { each, fixedPrices } from './stored-journal.ts';

export interface StoredDocuments {
  readonly journal: VerifiedStores['journal'];
  readonly snapshots?: Iterable<Snapshot>;
  readonly usage?: VerifiedStores['usage'];
  /** Those of the programs when absent. */
  readonly prices?: VerifiedStores['prices'];
}

export const atOnce = async <Value>(effect: () => Value): Promise<Value> => effect();

/** A verification of what is stored. */
export function verifyStored({
  journal,
  snapshots = [],
  usage,
  prices = fixedPrices,
}: StoredDocuments) {
  const stored = [...snapshots].map((snapshot) => {
    const { accountId, lastSeq } = snapshot.account;
    return { accountId, lastSeq, snapshot };
  });
  const deps = {
    journal,
    snapshots: { scanSnapshots: () => each(stored) },
    usage: usage ?? connectUsage(emptyUsage(), atOnce),
    prices,
  };
  return verifyJournal(deps, new AbortController().signal, () => {});
}
