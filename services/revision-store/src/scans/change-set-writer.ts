import type { ChangeCounts } from '@inventory/contracts/messages/revision';
import { type Change, changeBytes } from '../domain/change.ts';
import { type JoinedTexts, joinTexts } from '../domain/joined-texts.ts';
import type { ChangeStore } from '../storage/change-store.ts';

/** Changes of one block at most, and bytes of their rows; one change alone may be larger. */
const blockChangesMax = 1_000;
const blockBytesMax = 1024 * 1024;

/** Whether a block with so much has no capacity for another change. */
export function isBlockFull(changes: number, bytes: number, more: number): boolean {
  return changes > 0 && (changes === blockChangesMax || bytes + more > blockBytesMax);
}

export type ChangeSetWriter = ReturnType<typeof openSetWriter>;

/** Writes one change set, in the order of its keys. */
export function openSetWriter(
  changes: ChangeStore,
  position: { readonly scope: string; readonly set: string },
) {
  const counts = { added: 0, removed: 0, changed: 0 };
  let index = 0;
  let previousKey = '';
  let pending: Change[] = [];
  let pendingBytes = 0;

  /** Writes the next block. */
  async function write(before: JoinedTexts, after: JoinedTexts, lastKey: string): Promise<void> {
    await changes.writeBlock(position, { block: { index, before, after }, previousKey, lastKey });
    for (const [row, length] of before.lengths.entries()) {
      counts[kindOf(length, after.lengths[row] ?? 0)] += 1;
    }
    previousKey = lastKey;
    index += 1;
  }

  async function writePending(): Promise<void> {
    const last = pending.at(-1);
    if (!last) return;
    const before = joinTexts(pending.map((change) => change.before ?? undefined));
    const after = joinTexts(pending.map((change) => change.after ?? undefined));
    await write(before, after, last.key);
    [pending, pendingBytes] = [[], 0];
  }

  return {
    write,
    /** Adds a change to the block that is written next. */
    async add(change: Change): Promise<void> {
      const bytes = changeBytes(change);
      if (isBlockFull(pending.length, pendingBytes, bytes)) await writePending();
      pending.push(change);
      pendingBytes += bytes;
    },
    /** Writes what was added. What the set has. */
    async end() {
      await writePending();
      return { setId: position.set, counts, lastKey: previousKey };
    },
  };
}

function kindOf(before: number, after: number): keyof ChangeCounts {
  if (before === 0) return 'added';
  return after === 0 ? 'removed' : 'changed';
}
