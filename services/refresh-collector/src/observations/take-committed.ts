import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { applyFact, type SagaDeps } from '../saga/apply-fact.ts';
import type { RefreshListStore } from '../saga/refresh-list-store.ts';
import { type FindObservationDeps, findLatest } from './find-observation.ts';
import { mayTake, observedBy } from './saved-observation.domain.ts';

export interface TakeCommittedDeps extends FindObservationDeps {
  readonly saga: SagaDeps;
  readonly lists: RefreshListStore;
}

const concurrencyMax = 200;

/**
 * Completes every queued refresh of an inventory that the latest observation satisfies. Called when one
 * is committed, and when a refresh enters the queue, so that none is missed while it was accepted. What
 * a fault leaves is asked for once more when its scan would start.
 */
export async function takeCommitted(deps: TakeCommittedDeps, scope: InventoryKey): Promise<void> {
  const waiting = await deps.lists.findWaiting(inventoryKeyText(scope));
  if (waiting.length === 0) return;
  const latest = await findLatest(deps, scope);
  if (latest === null) return;
  const satisfied = waiting.filter((refresh) => mayTake(refresh, latest, deps.clock.now()));
  await forEachLimited(satisfied, concurrencyMax, async ({ refreshId }) => {
    await applyFact(deps.saga, refreshId, observedBy(latest), 'resend');
  });
}
