import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { BlockStore } from '../storage/block-store.ts';
import type { ChangeStore } from '../storage/change-store.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { DecidedScanStore } from '../storage/decided-scan-store.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScopeStore } from '../storage/scope-store.ts';
import { type SettleLastResultDeps, settleLastResult } from './decide-scan.ts';
import { collectGarbage } from './prune-inventory.ts';
import { dropStagedChunks } from './prune-staging.ts';

export interface EraseInventoryDeps extends SettleLastResultDeps {
  readonly scopes: ScopeStore;
  readonly decidedScans: Pick<DecidedScanStore, 'findUndroppedScans' | 'markChunksDropped'>;
  readonly chunks: Pick<ChunkStore, 'dropChunks'>;
  readonly observations: Pick<ObservationStore, 'deleteAll'>;
  readonly blocks: Pick<BlockStore, 'listSets' | 'deleteSets'>;
  readonly changes: Pick<ChangeStore, 'deleteAll' | 'listKeptSets'>;
  readonly identifiers: Identifiers;
  readonly settings: {
    readonly retention: { readonly erasedKeptMs: number };
  };
}

const undroppedMax = 1_000;

/**
 * Deletes all data of one inventory. The lease is seized, so that the commit of a running assembly
 * fails and is repeated after the erasure.
 *
 * The first write removes the head and records the time: a scan that ended before it is decided as
 * usual, but none of its data is kept. Observations and blocks follow; a crash in between leaves
 * unreachable data to the pruner or to a repeated erasure.
 */
export async function eraseInventory(deps: EraseInventoryDeps, scopeKey: string): Promise<void> {
  const { scopes, decidedScans, observations, clock, identifiers, settings } = deps;
  const nowMs = clock.now();
  const lease = await scopes.seizeLease(scopeKey, identifiers.uuidV7());
  try {
    if (!(await scopes.eraseScope(lease, nowMs))) throw new LeaseLost();
    await settleLastResult(deps, lease);
    await observations.deleteAll(scopeKey);
    await deps.changes.deleteAll(scopeKey);
    await collectGarbage(deps, scopeKey, [], () => scopes.renewLease(lease));
    const undropped = await decidedScans.findUndroppedScans(undroppedMax, scopeKey);
    for (const scanId of undropped) await dropStagedChunks(deps, scanId);
    await scopes.schedulePrune(lease, nowMs + settings.retention.erasedKeptMs);
  } finally {
    await scopes.releaseLease(lease);
  }
}
