import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { Observation } from '../domain/observation.ts';
import {
  changeSetKeptMs,
  isHeadExpired,
  nextPruneAtMs,
  type Retention,
} from '../domain/retention.ts';
import { countPruned } from '../metrics.ts';
import { type SettleLastResultDeps, settleLastResult } from '../scans/decide-scan.ts';
import { type BlockStore, packedSetId } from '../storage/block-store.ts';
import type { ChangeStore } from '../storage/change-store.ts';
import type { ChunkStore } from '../storage/chunk-store.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScopeLease, ScopeStore } from '../storage/scope-store.ts';
import { pruneEach } from './prune-each.ts';

export interface PruneInventoryDeps extends SettleLastResultDeps, CollectGarbageDeps {
  readonly scopes: ScopeStore;
  readonly chunks: Pick<ChunkStore, 'dropOlderChunks'>;
  readonly observations: Pick<ObservationStore, 'listSuperseded' | 'deleteSuperseded'>;
  readonly changes: Pick<
    ChangeStore,
    'deleteExpired' | 'deleteAll' | 'findOldest' | 'listKeptSets'
  >;
  readonly identifiers: Identifiers;
  readonly settings: { readonly retention: Retention };
}

/** Prunes every inventory that is due, each visited once. */
export function pruneInventories(
  deps: PruneInventoryDeps & { readonly logger: Logger },
  stopping: AbortSignal,
): Promise<void> {
  const due = deps.scopes.findPrunableScopes(deps.clock.now());
  return pruneEach(deps.logger, due, (scopeKey) => pruneInventory(deps, scopeKey), stopping);
}

/** Inventories whose observations expire one by one are visited together. */
const revisitAfterMs = 900_000;

/**
 * Deletes the unreadable data of one inventory under its lease; does nothing while the lease is held.
 *
 * References are deleted before what they refer to: the head, then observations, then unreferenced
 * blocks. A crash after any step leaves unreachable blocks, never an incomplete page, and the
 * inventory remains due.
 */
async function pruneInventory(deps: PruneInventoryDeps, scopeKey: string): Promise<void> {
  const { scopes, clock, identifiers } = deps;
  const nowMs = clock.now();
  const lease = await scopes.acquireLease(scopeKey, identifiers.uuidV7());
  if (lease === null) return;
  try {
    await settleLastResult(deps, lease);
    await pruneUnderLease(deps, lease, nowMs);
  } finally {
    await scopes.releaseLease(lease);
  }
}

/** Deletes what cannot be read, and what was read or saved under older epochs of the inventory. */
export async function pruneUnderLease(
  deps: PruneInventoryDeps,
  lease: ScopeLease,
  nowMs: number,
): Promise<void> {
  const { scopes, observations, settings } = deps;
  const { retention } = settings;
  const head = lease.head && isHeadExpired(lease.head, nowMs, retention) ? null : lease.head;
  if (head !== lease.head) {
    if (!(await scopes.dropHead(lease))) throw new LeaseLost();
    countPruned('heads', 1);
  }
  const untilMs = nowMs - retention.supersededKeptMs;
  const { erasedAtMs, epoch, scopeKey } = lease;
  const inventory = { scope: scopeKey, epoch };
  countPruned('chunks', await deps.chunks.dropOlderChunks(inventory));
  countPruned('observations', await observations.deleteSuperseded(inventory, untilMs));
  const { superseded, oldestAtMs } = await observations.listSuperseded(scopeKey);
  const oldestChangesAtMs = await pruneChanges(deps, scopeKey, head, nowMs);
  const kept = head ? [head, ...superseded] : superseded;
  await collectGarbage(deps, scopeKey, kept, () => scopes.renewLease(lease));
  const left = { head, oldestSupersededAtMs: oldestAtMs, oldestChangesAtMs, erasedAtMs };
  const dueMs = nextPruneAtMs(left, nowMs, retention);
  if (dueMs === null && (await scopes.deleteScope(lease, retention.erasedKeptMs))) return;
  const isHeld = await scopes.schedulePrune(lease, Math.max(dueMs ?? 0, nowMs + revisitAfterMs));
  if (!isHeld) throw new LeaseLost();
}

/** Deletes change sets that have expired. When the oldest that is left was superseded; null for none. */
async function pruneChanges(
  { changes, settings }: PruneInventoryDeps,
  scopeKey: string,
  head: Observation | null,
  nowMs: number,
): Promise<number | null> {
  const root = head?.revision.chain?.root;
  const untilMs = nowMs - changeSetKeptMs(settings.retention);
  countPruned(
    'changes',
    root ? await changes.deleteExpired(scopeKey, root, untilMs) : await changes.deleteAll(scopeKey),
  );
  return (await changes.findOldest(scopeKey))?.supersededAtMs ?? null;
}

interface CollectGarbageDeps {
  readonly blocks: Pick<BlockStore, 'listSets' | 'deleteSets'>;
  readonly changes: Pick<ChangeStore, 'listKeptSets'>;
}

/**
 * Deletes the blocks of an inventory that neither the kept observations nor the kept change sets refer
 * to. The lease is confirmed after the blocks were listed: a block that existed while the lease
 * excluded assemblies and is not referred to never will be, so deleting it is safe even if the lease
 * is lost later. They are listed again afterwards: a reader may have kept a packed page meanwhile,
 * and looks for its rows and texts only then.
 */
async function collectGarbage(
  { blocks, changes }: CollectGarbageDeps,
  scopeKey: string,
  kept: readonly Observation[],
  confirmLease: () => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const sets = await blocks.listSets(scopeKey);
    const needed = new Set([...kept.flatMap(setsOf), ...(await changes.listKeptSets(scopeKey))]);
    const garbage = sets.filter((set) => !needed.has(set));
    if (garbage.length === 0) return;
    if (!(await confirmLease())) throw new LeaseLost();
    countPruned('blocks', await blocks.deleteSets(scopeKey, garbage));
  }
}

function setsOf({ revision, texts }: Observation): string[] {
  const { revisionId, joins } = revision;
  const ofTexts = Object.values(texts).flatMap(({ textSetId, rowSetId }) => [
    textSetId,
    packedSetId({ textSetId, rowSetId, revisionId }),
    ...(rowSetId === null ? [] : [rowSetId]),
  ]);
  return [revisionId, ...ofTexts, ...joins.map(({ setId }) => setId)];
}
