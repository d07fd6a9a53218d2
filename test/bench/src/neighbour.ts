import type { Stack } from '@inventory/local-stack/stack';
import { inventoryPath, newInventory, openCustomer, whileRefused } from './customer.ts';
import { type LoadResult, openLoop, percentiles } from './load.ts';
import { besideOthers, type Row, type Tail } from './row.ts';

/** By operation. */
export type Loads = ReadonlyMap<string, LoadResult>;

export interface Neighbour {
  /** Reads each operation at the same rate; what is refused for now is late until it is served. */
  load(load: { readonly perSecond: number; readonly periodMs: number }): Promise<Loads>;
}

/** With a customer that has a saved inventory and a completed refresh, and that others may disturb. */
export async function withNeighbour<Result>(
  stack: Stack,
  work: (neighbour: Neighbour) => Promise<Result>,
): Promise<Result> {
  const customer = await openCustomer(stack);
  const inventory = newInventory(10);
  const refreshId = await customer.refresh(inventory);
  await customer.completed(refreshId);
  const paths = {
    Status: `/v2/platform/inventory-refreshes/${refreshId}`,
    list: `/v2/projects/${customer.projectId}/inventory-refreshes`,
    account: '/v2/account',
    'Current of 10 assets': `${inventoryPath(inventory)}/current`,
  };
  const result = await work({
    async load(load) {
      const loads = Object.entries(paths).map(async ([operation, path]) => {
        const read = () => whileRefused(() => customer.get(path));
        return [operation, await openLoop({ ...load, work: read })] as const;
      });
      return new Map(await Promise.all(loads));
    },
  });
  await customer.close();
  return result;
}

export function neighbourRows(
  disturbance: string,
  beside: ReadonlyMap<string, Tail>,
  alone: ReadonlyMap<string, Tail>,
  times?: number,
): Row[] {
  return [...beside].map(([operation, load]) =>
    besideOthers(`${operation} beside ${disturbance}`, load, alone.get(operation) ?? load, times),
  );
}

/** Of each operation the median p99 of its loads. */
export function mediansOf(loads: readonly Loads[]): ReadonlyMap<string, Tail> {
  const tailsOf = (operation: string) =>
    loads.map((load) => load.get(operation)?.p99Ms ?? Number.NaN);
  return new Map(
    [...(loads[0]?.keys() ?? [])].map((operation) => [
      operation,
      { p99Ms: percentiles(tailsOf(operation)).p50Ms },
    ]),
  );
}
