import { refreshApi } from '@inventory/contracts/internal/refresh';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { internalRoute } from '@inventory/http/internal-route';
import { applyFact } from '../saga/apply-fact.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Scans } from './scans.ts';

/**
 * Forgets an inventory that the revision-store has erased. In this order, so that no scan that read
 * before it records what it saw:
 *
 * 1. the expected size of what waits is dropped, and scans under way end, free: what waits for one
 *    starts once it has ended;
 * 2. the size is deleted with the lease; a lease that was opened meanwhile stays with its scan.
 *
 * After a crash the operator repeats it.
 */
export async function eraseInventory(
  { saga, lists, inventories }: Scans,
  inventory: string,
): Promise<void> {
  const [leased = null] = await inventories.findLeasedRefreshes([inventory]);
  const unread = await lists.findUnread(inventory);
  const isCollecting = ({ phase }: Refresh) => phase === 'collecting';
  for (const { refreshId } of [
    ...unread.filter((refresh) => !isCollecting(refresh)),
    ...unread.filter(isCollecting),
  ]) {
    await applyFact(saga, refreshId, { fact: 'inventory_erased' }, 'resend');
  }
  const phase = leased && (await saga.refreshes.findRefresh(leased))?.phase;
  const isUnderWay = phase === 'queued' || phase === 'collecting';
  await inventories.forgetInventory(inventory, isUnderWay ? null : leased);
}

export const eraseInventoryRoute = internalRoute({
  ...refreshApi.eraseInventory,
  async handle(scans: Scans, { path }) {
    await eraseInventory(scans, inventoryKeyText(path));
    return {};
  },
});
