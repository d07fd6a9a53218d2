import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Logger } from '@inventory/runtime/logger';
import type { Observation } from '../domain/observation.ts';
import {
  changeSetKeptMs,
  isErased,
  isHeadExpired,
  isSupersededReadable,
  nextPruneAtMs,
  type Retention,
} from '../domain/retention.ts';
import { countPruned } from '../metrics.ts';
import type { BlockStore } from '../storage/block-store.ts';
import type { ChangeStore } from '../storage/change-store.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScopeLease, ScopeStore } from '../storage/scope-store.ts';
import { type SettleLastResultDeps, settleLastResult } from './decide-scan.ts';
import { pruneEach } from './prune-each.ts';

export interface PruneInventoryDeps extends SettleLastResultDeps {
  readonly scopes: ScopeStore;
  readonly observations: Pick<ObservationStore, 'listSuperseded' | 'deleteSuperseded'>;
  readonly blocks: Pick<BlockStore, 'listSets' | 'deleteSets'>;
  readonly changes: PrunedChanges;
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
    await pruneUnderLease(deps, lease, nowMs);
  } finally {
    await scopes.releaseLease(lease);
  }
}

async function pruneUnderLease(
  deps: PruneInventoryDeps,
  lease: ScopeLease,
  nowMs: number,
): Promise<void> {
  const { scopes, observations, settings } = deps;
  const { retention } = settings;
  await settleLastResult(deps, lease);
  const head = lease.head && isHeadExpired(lease.head, nowMs, retention) ? null : lease.head;
  if (head !== lease.head) {
    if (!(await scopes.dropHead(lease))) throw new LeaseLost();
    countPruned('heads', 1);
  }
  const superseded = await observations.listSuperseded(lease.scopeKey);
  const [kept, expired] = partition(
    superseded,
    ({ observation, supersededAtMs }) =>
      isSupersededReadable(supersededAtMs, nowMs, retention) &&
      !isErased(observation, lease.erasedAtMs),
  );
  await observations.deleteSuperseded(expired.map(({ observation }) => observation.observationId));
  countPruned('observations', expired.length);
  const roots = kept.map(({ observation }) => observation);
  const oldestChangesAtMs = await pruneChanges(deps, lease, head, nowMs);
  await collectGarbage(deps, lease.scopeKey, head ? [head, ...roots] : roots, () =>
    scopes.renewLease(lease),
  );
  const oldestSupersededAtMs = kept[0]?.supersededAtMs ?? null;
  const left = { head, oldestSupersededAtMs, oldestChangesAtMs, erasedAtMs: lease.erasedAtMs };
  const dueMs = nextPruneAtMs(left, nowMs, retention);
  if (dueMs !== null) await scopes.schedulePrune(lease, Math.max(dueMs, nowMs + revisitAfterMs));
  else await scopes.deleteScope(lease);
}

type PrunedChanges = Pick<
  ChangeStore,
  'deleteExpired' | 'deleteAll' | 'findOldest' | 'oldestSetId' | 'deleteBlocksBefore'
>;

/**
 * Deletes change sets that have expired, and blocks that none can refer to: ids of sets grow with time,
 * so those are the ones with ids smaller than of all that are left. What a crashed try left goes with
 * its neighbours. When the oldest that is left was superseded; null where there is none.
 */
async function pruneChanges(
  deps: PruneInventoryDeps,
  lease: ScopeLease,
  head: Observation | null,
  nowMs: number,
): Promise<number | null> {
  const { changes, settings } = deps;
  const root = head?.revision.chain?.root;
  const { scopeKey } = lease;
  const untilMs = nowMs - changeSetKeptMs(settings.retention);
  countPruned(
    'changes',
    root ? await changes.deleteExpired(scopeKey, root, untilMs) : await changes.deleteAll(scopeKey),
  );
  await deleteChangeBlocks(deps, lease, head);
  return (await changes.findOldest(scopeKey))?.supersededAtMs ?? null;
}

/** A set that is written from now on has a greater id than the one minted here. */
export async function deleteChangeBlocks(
  {
    changes,
    scopes,
    identifiers,
  }: {
    readonly changes: Pick<ChangeStore, 'oldestSetId' | 'deleteBlocksBefore'>;
    readonly scopes: Pick<ScopeStore, 'renewLease'>;
    readonly identifiers: Identifiers;
  },
  lease: ScopeLease,
  head: Observation | null,
): Promise<void> {
  const newId = identifiers.uuidV7();
  const oldest = await changes.oldestSetId(lease.scopeKey);
  const ofHead = head?.revision.joins.map(({ setId }) => setId) ?? [];
  if (!(await scopes.renewLease(lease))) throw new LeaseLost();
  const [first = newId] = [newId, ...ofHead, ...(oldest ? [oldest] : [])].sort();
  countPruned('blocks', await changes.deleteBlocksBefore(lease.scopeKey, first));
}

function partition<Item>(items: readonly Item[], holds: (item: Item) => boolean) {
  return [items.filter(holds), items.filter((item) => !holds(item))] as const;
}

/**
 * Deletes the blocks of an inventory that none of the kept observations refers to. The lease is
 * confirmed after the blocks were listed: a block that existed while the lease excluded assemblies
 * and is not referred to never will be, so deleting it is safe even if the lease is lost later.
 */
export async function collectGarbage(
  { blocks }: Pick<PruneInventoryDeps, 'blocks'>,
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
