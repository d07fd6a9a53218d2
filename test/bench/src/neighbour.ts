import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { inventoryPath, openCustomer } from './customer.ts';
import { type LoadResult, openLoop } from './load.ts';
import { besideOthers, type Row } from './row.ts';

/** By operation. */
type Loads = ReadonlyMap<string, LoadResult>;

export interface Neighbour {
  /** Reads each operation at the same rate. */
  load(durationMs: number): Promise<Loads>;
  close(): Promise<void>;
}

/** A customer with a saved inventory and a completed refresh, which others may disturb. */
export async function openNeighbour(stack: Stack, perSecond: number): Promise<Neighbour> {
  const customer = await openCustomer(stack);
  const inventory = sizeInventory(10);
  const refreshId = await customer.refresh(inventory);
  await customer.completed(refreshId);
  const paths = {
    Status: `/v2/platform/inventory-refreshes/${refreshId}`,
    list: `/v2/projects/${customer.projectId}/inventory-refreshes`,
    account: '/v2/account',
    'Current of 10 assets': `${inventoryPath(inventory)}/current`,
  };
  return {
    async load(durationMs) {
      const loads = Object.entries(paths).map(async ([operation, path]) => {
        const work = () => customer.get(path);
        return [operation, await openLoop({ perSecond, durationMs, work })] as const;
      });
      return new Map(await Promise.all(loads));
    },
    close: () => customer.close(),
  };
}

export function neighbourRows(disturbance: string, beside: Loads, alone: Loads): Row[] {
  return [...beside].map(([operation, load]) =>
    besideOthers(`${operation} beside ${disturbance}`, load, alone.get(operation) ?? load),
  );
}
