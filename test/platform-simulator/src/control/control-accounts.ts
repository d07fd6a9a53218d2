import { z } from 'zod';
import { totalCount } from '../inventory/inventory.ts';
import { applyChange, newChanges } from '../inventory/inventory-changes.ts';
import { currentInventory, findAccount } from '../inventory/resolve-inventory.ts';
import { inventoryKey } from '../platform/inventory-request.ts';
import type { World } from '../platform/world.ts';

const accountBody = z
  .strictObject({
    private: z.boolean(),
    held: z.union([z.boolean(), z.literal('later_pages')]),
  })
  .partial();

const changeBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), count: z.int().min(1).max(1_000) }),
  z.strictObject({ kind: z.literal('remove'), positions: z.array(z.int().min(0)).min(1) }),
  z.strictObject({ kind: z.literal('texts') }),
]);

/** Makes any account private or public, or holds its responses back. */
export function changeAccount(world: World, [platformId = '']: readonly string[], body: unknown) {
  const said = accountBody.parse(body);
  if (said.private) world.privateAccounts.add(platformId);
  else if (said.private === false) world.privateAccounts.delete(platformId);
  if (said.held !== undefined) release(world, platformId);
  if (said.held) {
    const laterPagesOnly = said.held === 'later_pages';
    world.held.set(platformId, { laterPagesOnly, waiting: new Set() });
  }
}

/** Sends the responses that were held back. */
function release(world: World, platformId: string): void {
  const { waiting = [] } = world.held.get(platformId) ?? {};
  world.held.delete(platformId);
  for (const send of waiting) send();
}

/** The state of an inventory without its faults: what a complete scan has to find. */
export function readInventory(world: World, path: readonly string[]) {
  const { inventory } = openInventory(world, path);
  const total_inventory_count = totalCount(inventory);
  return { assets: total_inventory_count - inventory.hidden, total_inventory_count };
}

export function changeInventory(world: World, path: readonly string[], body: unknown) {
  const change = changeBody.parse(body);
  const { key, inventory } = openInventory(world, path);
  const changes = world.changes.get(key) ?? newChanges();
  world.changes.set(key, changes);
  applyChange(changes, change, inventory.size);
}

function openInventory(world: World, [platformId = '', appId, contextId]: readonly string[]) {
  const name = { platformId, appId: Number(appId), contextId: Number(contextId) };
  const account = findAccount(world, platformId);
  const inventory = account && currentInventory(world, account, name);
  if (!inventory) throw new Error(`There is no inventory ${inventoryKey(name)}.`);
  return { key: inventoryKey(name), inventory };
}
