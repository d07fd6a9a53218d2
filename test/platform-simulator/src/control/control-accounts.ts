import { z } from 'zod';
import { getOrCreate, setBounded } from '../bounded-map.ts';
import { apps } from '../catalogue/apps.ts';
import { totalCount } from '../inventory/inventory.ts';
import { applyChange, type Change, noChanges } from '../inventory/inventory-changes.ts';
import { currentInventory, findAccount, numberingOf } from '../inventory/resolve-inventory.ts';
import { inventoryKey } from '../platform/inventory-request.ts';
import { rememberedMax, type World } from '../platform/world.ts';
import { accountSizeMax, adHocPlatformId } from '../platform-ids.ts';
import { type ControlAnswer, created, ok, refused, unknown, withBody } from './control-answer.ts';

const accountBody = z.strictObject({
  size: z.int().min(0).max(accountSizeMax),
  hidden: z.int().min(0).max(accountSizeMax).default(0),
  private: z.boolean().default(false),
});

const accountChangeBody = z
  .strictObject({
    private: z.boolean(),
    exists: z.boolean(),
    held: z.union([z.boolean(), z.literal('later_pages')]),
  })
  .partial();

const assetId = z.string().regex(/^[0-9]{1,20}$/, 'must be 1 to 20 digits');
const atPage = z.int().min(2).max(1_000_000).optional();

const changeBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('add'), count: z.int().min(1).max(100_000), at_page: atPage }),
  z
    .strictObject({
      kind: z.literal('remove'),
      positions: z.array(z.int().min(0).max(accountSizeMax)).min(1).max(1_000).optional(),
      asset_ids: z.array(assetId).min(1).max(1_000).optional(),
      at_page: atPage,
    })
    .refine((said) => said.positions || said.asset_ids, 'needs "positions" or "asset_ids"'),
  z.strictObject({
    kind: z.literal('amount'),
    asset_id: assetId,
    amount: z.string().regex(/^[1-9][0-9]{0,18}$/, 'must be a positive integer as text'),
    at_page: atPage,
  }),
  z.strictObject({ kind: z.literal('texts'), at_page: atPage }),
]);

export type InventoryPath = {
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
};

/** Creates an account of the `763` family; it lives as long as the process. */
export function createAccount(world: World, body: unknown): ControlAnswer {
  return withBody(accountBody, body, (said) => {
    if (world.accounts.size >= rememberedMax) {
      return refused(`There are already ${rememberedMax} changed accounts.`);
    }
    const platformId = adHocPlatformId(world.nextSerial);
    world.nextSerial += 1;
    world.accounts.set(platformId, { ...said });
    return created({ platform_id: platformId, ...said });
  });
}

/** Makes any account private or public, lets it vanish and come back, or holds its answers back. */
export function changeAccount(world: World, platformId: string, body: unknown): ControlAnswer {
  return withBody(accountChangeBody, body, (said) => {
    const before = world.accounts.get(platformId);
    if (before === undefined && findAccount(world, platformId) === undefined) {
      return unknown(`There is no account ${platformId}.`);
    }
    if (before === undefined && world.accounts.size >= rememberedMax) {
      return refused(`There are already ${rememberedMax} changed accounts.`);
    }
    const after = {
      ...before,
      private: said.private ?? before?.private ?? false,
      exists: said.exists ?? before?.exists ?? true,
    };
    world.accounts.set(platformId, after);
    if (said.held !== undefined) release(world, platformId);
    if (said.held) {
      const laterPagesOnly = said.held === 'later_pages';
      setBounded(world.held, platformId, { laterPagesOnly, waiting: new Set() }, rememberedMax);
    }
    const held = world.held.has(platformId);
    return ok({ platform_id: platformId, private: after.private, exists: after.exists, held });
  });
}

/** Sends the answers that were held back. */
export function release(world: World, platformId: string): void {
  const { waiting = [] } = world.held.get(platformId) ?? {};
  world.held.delete(platformId);
  for (const send of waiting) send();
}

/** The state of an inventory without its faults: what a complete scan has to find. */
export function readInventory(world: World, path: InventoryPath): ControlAnswer {
  const account = findAccount(world, path.platformId);
  const app = apps.get(path.appId);
  if (account === undefined || app === undefined) {
    return unknown(`There is no inventory ${inventoryKey(path)}.`);
  }
  const inventory = currentInventory(world, account, app, path);
  return ok({
    platform_id: path.platformId,
    app_id: path.appId,
    context_id: path.contextId,
    assets: totalCount(inventory) - inventory.hidden,
    total_inventory_count: totalCount(inventory),
    private: account.private,
    text_version: inventory.textVersion,
    pending_changes: world.changes.get(inventoryKey(path))?.pending.length ?? 0,
  });
}

export function changeInventory(world: World, path: InventoryPath, body: unknown): ControlAnswer {
  return withBody(changeBody, body, (said) => {
    const account = findAccount(world, path.platformId);
    if (account === undefined || !apps.has(path.appId)) {
      return unknown(`There is no inventory ${inventoryKey(path)}.`);
    }
    const changes = getOrCreate(world.changes, inventoryKey(path), noChanges, rememberedMax);
    if (said.at_page !== undefined) {
      changes.pending.push({ atPage: said.at_page, change: changeOf(said) });
      return readInventory(world, path);
    }
    const problem = applyChange(changes, changeOf(said), numberingOf(world, account, path));
    return problem === undefined ? readInventory(world, path) : refused(problem);
  });
}

/** The inventory is again what it was created as. */
export function forgetChanges(world: World, path: InventoryPath): ControlAnswer {
  world.changes.delete(inventoryKey(path));
  world.progress.delete(inventoryKey(path));
  return readInventory(world, path);
}

function changeOf(said: z.infer<typeof changeBody>): Change {
  switch (said.kind) {
    case 'add':
      return { kind: 'add', count: said.count };
    case 'remove':
      return {
        kind: 'remove',
        ...(said.positions ? { positions: said.positions } : {}),
        ...(said.asset_ids ? { assetIds: said.asset_ids } : {}),
      };
    case 'amount':
      return { kind: 'amount', assetId: said.asset_id, amount: said.amount };
    case 'texts':
      return { kind: 'texts' };
  }
}
