import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Observation } from '../domain/observation.ts';
import { countPruned } from '../metrics.ts';
import type { BlockStore } from '../storage/block-store.ts';

export interface CollectGarbageDeps {
  readonly blocks: Pick<BlockStore, 'listSets' | 'deleteSets'>;
}

/**
 * Deletes the blocks of an inventory that none of the kept observations refers to. The lease is
 * confirmed after the blocks were listed: a block that existed while the lease excluded assemblies
 * and is not referred to never will be, so deleting it is safe even if the lease is lost later.
 */
export async function collectGarbage(
  { blocks }: CollectGarbageDeps,
  scopeKey: string,
  kept: readonly Observation[],
  confirmLease: () => Promise<boolean>,
): Promise<void> {
  const needed = new Set(kept.flatMap(setsOf));
  const garbage = (await blocks.listSets(scopeKey)).filter((set) => !needed.has(set));
  if (garbage.length === 0) return;
  if (!(await confirmLease())) throw new LeaseLost();
  countPruned('blocks', await blocks.deleteSets(scopeKey, garbage));
}

function setsOf({ revision, texts }: Observation): string[] {
  const sets = Object.values(texts).flatMap(({ textSetId, rowSetId }) => [textSetId, rowSetId]);
  return [revision.revisionId, ...sets.filter((set) => set !== null)];
}
