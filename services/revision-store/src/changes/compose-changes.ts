import type { RevisionId } from '@inventory/contracts/ids';
import { type Change, changesOf, composeChange } from '../domain/change.ts';
import type { ChainSpan, ChangeSet } from '../domain/change-chain.ts';
import { BlocksGone } from '../reads/read-blocks.ts';
import type { ChangeStore } from '../storage/change-store.ts';

export interface ComposedSets {
  readonly scope: string;
  /** Oldest first: each leads to where the next begins. */
  readonly sets: readonly ChangeSet[];
  readonly keyOf: (identity: string) => string;
}

/** The sets of these spans, in order: of those that end at a head, or kept. Null where one is not there. */
export async function findSets(
  store: ChangeStore,
  root: RevisionId,
  spans: readonly ChainSpan[],
  ofHead: readonly ChangeSet[],
): Promise<ChangeSet[] | null> {
  const isSpan =
    ([from, to]: ChainSpan) =>
    (set: ChangeSet) =>
      set.fromOrdinal === from && set.toOrdinal === to;
  const others = spans.filter((span) => !ofHead.some(isSpan(span)));
  const kept = others.length === 0 ? [] : await store.findSpans(root, others);
  const sets = spans.map((span) => [...ofHead, ...kept].find(isSpan(span)));
  return sets.every((set) => set !== undefined) ? sets : null;
}

/**
 * What changed over all sets, in the order of keys, after a key ('' for all). One block of each set
 * is in memory. An asset that came and went again, or changed and changed back, is not among them.
 * Rejects with {@link BlocksGone} rather than leave out what is not there any more.
 */
export async function* composeChanges(
  store: ChangeStore,
  { scope, sets, keyOf }: ComposedSets,
  afterKey: string,
): AsyncGenerator<Change> {
  const readers = sets.map((set) => readSet(store, scope, set, keyOf, afterKey));
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  for (;;) {
    let key: string | undefined;
    for (const { value } of heads) if (value && !(key && key <= value.key)) key = value.key;
    if (key === undefined) return;
    const changes: Change[] = [];
    for (const [at, reader] of readers.entries()) {
      const value = heads[at]?.value;
      if (value?.key !== key) continue;
      changes.push(value);
      heads[at] = await reader.next();
    }
    const composed = composeChange(changes);
    if (composed) yield composed;
  }
}

async function* readSet(
  store: ChangeStore,
  scope: string,
  set: ChangeSet,
  keyOf: ComposedSets['keyOf'],
  afterKey: string,
): AsyncGenerator<Change, undefined> {
  for (let after = afterKey; after < set.lastKey; ) {
    const stored = await store.readBlockAfter({ scope, set: set.setId }, after);
    if (!stored || stored.previousKey > after) throw new BlocksGone();
    for (const change of changesOf(stored.block, keyOf)) if (change.key > after) yield change;
    after = stored.lastKey;
  }
}
