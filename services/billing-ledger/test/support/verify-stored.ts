import { type VerifyJournalDeps, verifyJournal } from '../../src/operations/verify-journal.ts';
import type { Snapshot } from '../../src/storage/snapshot-document.ts';
import { connectUsage, emptyUsage } from './fake-usage.ts';
import { each, fixedPrices } from './stored-journal.ts';

export interface StoredDocuments {
  readonly journal: VerifyJournalDeps['journal'];
  readonly snapshots?: Iterable<Snapshot>;
  readonly usage?: VerifyJournalDeps['usage'];
  readonly checkpoints?: VerifyJournalDeps['checkpoints'];
  /** Those of the programs when absent. */
  readonly prices?: VerifyJournalDeps['prices'];
}

export const atOnce = async <Value>(effect: () => Value): Promise<Value> => effect();

/** A full verification of what is stored. */
export function verifyStored({
  journal,
  snapshots = [],
  usage,
  checkpoints,
  prices = fixedPrices,
}: StoredDocuments) {
  const intact = [...snapshots].map((snapshot) => ({ ...snapshot, isIntact: true }));
  const deps = {
    journal,
    snapshots: { scanSnapshots: () => each(intact) },
    usage: usage ?? connectUsage(emptyUsage(), atOnce),
    checkpoints: checkpoints ?? null,
    prices,
    now: () => 0,
  };
  return verifyJournal(deps, { signal: new AbortController().signal, onProgress: () => {} });
}
