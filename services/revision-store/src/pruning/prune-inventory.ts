import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Observation } from '../domain/observation.ts';
import { changeSetKeptMs, isHeadExpired, nextPruneAtMs } from '../domain/retention.ts';
import { countPruned } from '../metrics.ts';
import { settleLastResult } from '../scans/decide-scan.ts';
import type { Scanning } from '../scans/open-scanning.ts';
import { packedSetId } from '../storage/block-store.ts';
import type { ScopeLease } from '../storage/scope-store.ts';
import { pruneEach } from './prune-each.ts';

/** Prunes every inventory that is due, each visited once. */
export function pruneInventories(scanning: Scanning, stopping: AbortSignal): Promise<void> {
  const due = scanning.scopes.findPrunableScopes(scanning.clock.now());
  return pruneEach(
    scanning.logger,
    due,
    (scopeKey) => pruneInventory(scanning, scopeKey),
    stopping,
  );
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
async function pruneInventory(scanning: Scanning, scopeKey: string): Promise<void> {
  const { scopes, clock, identifiers } = scanning;
  const nowMs = clock.now();
  const lease = await scopes.acquireLease(scopeKey, identifiers.uuidV7());
  if (lease === null) return;
  try {
    await settleLastResult(scanning, lease);
    await pruneUnderLease(scanning, lease, nowMs);
  } finally {
    await scopes.releaseLease(lease);
  }
}

/** Deletes what cannot be read, and what was read or saved under older epochs of the inventory. */
export async function pruneUnderLease(
  scanning: Scanning,
  lease: ScopeLease,
  nowMs: number,
): Promise<void> {
  const { scopes, observations, settings } = scanning;
  const { retention } = settings;
  const head = lease.head && isHeadExpired(lease.head, nowMs, retention) ? null : lease.head;
  if (head !== lease.head) {
    if (!(await scopes.dropHead(lease))) throw new LeaseLost();
    countPruned('heads', 1);
  }
  const untilMs = nowMs - retention.supersededKeptMs;
  const { erasedAtMs, epoch, scopeKey } = lease;
  const inventory = { scope: scopeKey, epoch };
  countPruned('chunks', await scanning.chunks.dropOlderChunks(inventory));
  countPruned('observations', await observations.deleteSuperseded(inventory, untilMs));
  const { superseded, oldestAtMs } = await observations.listSuperseded(scopeKey);
  const oldestChangesAtMs = await pruneChanges(scanning, scopeKey, head, nowMs);
  const kept = head ? [head, ...superseded] : superseded;
  await collectGarbage(scanning, scopeKey, kept, () => scopes.renewLease(lease));
  const left = { head, oldestSupersededAtMs: oldestAtMs, oldestChangesAtMs, erasedAtMs };
  const dueMs = nextPruneAtMs(left, nowMs, retention);
  if (dueMs === null && (await scopes.deleteScope(lease, retention.erasedKeptMs))) return;
  const isHeld = await scopes.schedulePrune(lease, Math.max(dueMs ?? 0, nowMs + revisitAfterMs));
  if (!isHeld) throw new LeaseLost();
}

/** Deletes change sets that have expired. When the oldest that is left was superseded; null for none. */
async function pruneChanges(
  { changes, settings }: Scanning,
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

/**
 * Deletes the blocks of an inventory that neither the kept observations nor the kept change sets refer
 * to. The lease is confirmed after the blocks were listed: a block that existed while the lease
 * excluded assemblies and is not referred to never will be, so deleting it is safe even if the lease
 * is lost later. They are listed again afterwards: a reader may have kept a packed page meanwhile,
 * and reads its rows and texts only then.
 */
async function collectGarbage(
  { blocks, changes }: Scanning,
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
