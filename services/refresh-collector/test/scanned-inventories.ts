import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { waitFor } from '@inventory/testkit/wait-for';
import { openCollections } from '../src/collections.ts';
import type { CollectorHarness } from './collector-harness.ts';

interface Counts {
  readonly requests: number;
  readonly in_flight_max: number;
}

/** Inventories of the simulated platform and what it saw of their scans. */
export interface ScannedInventories {
  /** One of its own, of this many assets. */
  next(size: number, appId?: number): InventoryKey;
  /** Responses about later pages than the first wait until they are released. */
  holdLaterPages(scope: InventoryKey): Promise<void>;
  hold(scope: InventoryKey): Promise<void>;
  release(scope: InventoryKey): Promise<void>;
  /** Whatever is still held: collectors wait for it when they stop. */
  releaseAll(): Promise<void>;
  seen(scope: InventoryKey): Promise<Counts>;
  /** Lets the lease of its scan expire; the worker does not know. */
  expireLease(scope: InventoryKey): Promise<void>;
  untilRequested(scope: InventoryKey, requests: number): Promise<void>;
}

export function scannedInventories(harness: CollectorHarness): ScannedInventories {
  let serial = 0;
  const holding = new Map<string, InventoryKey>();
  const held = async (scope: InventoryKey, value: boolean | 'later_pages') => {
    const { platform_id } = scope;
    await harness.control('PATCH', `/accounts/${platform_id}`, { held: value });
    if (value) holding.set(platform_id, scope);
    else holding.delete(platform_id);
  };
  const seen = async ({ platform_id }: InventoryKey): Promise<Counts> => {
    const { accounts } = (await harness.control('GET', '/counters')) as {
      accounts: Record<string, Counts>;
    };
    return accounts[platform_id] ?? { requests: 0, in_flight_max: 0 };
  };

  return {
    next(size, appId = 730) {
      serial += 1;
      const { platformId, contextId } = sizeInventory(size, serial, appId);
      return { platform_id: platformId, app_id: appId, context_id: contextId };
    },
    holdLaterPages: (scope) => held(scope, 'later_pages'),
    hold: (scope) => held(scope, true),
    release: (scope) => held(scope, false),
    async releaseAll() {
      for (const scope of holding.values()) await held(scope, false);
    },
    seen,
    async expireLease(scope) {
      const expired = { $set: { 'lease.until': new Date(0) } };
      const { inventories } = openCollections(harness.database);
      await inventories.updateOne({ _id: inventoryKeyText(scope) }, expired);
    },
    untilRequested: async (scope, requests) => {
      await waitFor(
        `request ${requests} about ${scope.platform_id}`,
        async () => (await seen(scope)).requests >= requests,
      );
    },
  };
}
