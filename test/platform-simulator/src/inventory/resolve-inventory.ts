import { apps } from '../catalogue/apps.ts';
import { kindCount } from '../catalogue/item-kinds.ts';
import { type InventoryRequest, inventoryKey } from '../platform/inventory-request.ts';
import type { World } from '../platform/world.ts';
import { readPlatformId } from '../platform-ids.ts';
import type { ScenarioDefinition } from '../scenario/scenario-definition.ts';
import { scenarioOfNumber } from '../scenarios.ts';
import { hashText, seed } from '../seeded-hash.ts';
import type { Inventory } from './inventory.ts';
import { newChanges } from './inventory-changes.ts';

/** An account of the platform. */
export type Account = {
  readonly size: number;
  readonly hidden: number;
  readonly private: boolean;
  readonly scenario: ScenarioDefinition | undefined;
};

/** The account of a platform id; undefined when there is none. */
export function findAccount(world: World, platformId: string): Account | undefined {
  const meaning = readPlatformId(platformId);
  if (meaning === undefined) return undefined;
  const isPrivate = world.privateAccounts.has(platformId);
  if (meaning.family === 'size') {
    return { size: meaning.size, hidden: 0, private: isPrivate, scenario: undefined };
  }
  const scenario = scenarioOfNumber(meaning.number);
  return (
    scenario && { size: scenario.size, hidden: scenario.hidden ?? 0, private: isPrivate, scenario }
  );
}

type InventoryName = Pick<InventoryRequest, 'platformId' | 'appId' | 'contextId'>;

/** How an inventory numbers its assets; the same for an account's whole life. */
export function numberingOf({ scenario }: Account, name: InventoryName) {
  return {
    salt: hashText(seed, inventoryKey(name)),
    assetIdStyle: scenario?.assetIdStyle ?? 'mixed',
  } as const;
}

/** The inventory in its present state; undefined where there is no such application. */
export function currentInventory(
  world: World,
  account: Account,
  name: InventoryName,
): Inventory | undefined {
  const app = apps.get(name.appId);
  if (app === undefined) return undefined;
  const key = inventoryKey(name);
  const changes = world.changes.get(key) ?? newChanges();
  const { scenario, size, hidden } = account;
  const scans = world.progress.get(key)?.scans ?? 0;
  const inventory = {
    ...numberingOf(account, name),
    app,
    contextId: name.contextId,
    size,
    added: changes.added + (scenario?.eachScan === 'one_more_asset' ? scans : 0),
    removed: removedOf(changes.removed, scenario?.eachScan, scans),
    hidden,
    textVersion: changes.textVersion + (scenario?.eachScan === 'new_texts' ? scans : 0),
    amountStyle: scenario?.amountStyle ?? 'ordinary',
    kindLimit: scenario?.kindLimit ?? kindCount,
  };
  return app.ownerOnlyContextIds.includes(name.contextId)
    ? { ...inventory, size: 0, added: 0, removed: new Set(), hidden: 0 }
    : inventory;
}

/** Index of the last asset of a first page, as requested by its clients. */
const firstCursorIndex = 1_999;

function removedOf(
  removed: ReadonlySet<number>,
  eachScan: ScenarioDefinition['eachScan'],
  scans: number,
): ReadonlySet<number> {
  const times = { first_cursor_removed: Math.min(1, scans), every_cursor_removed: scans };
  if (eachScan !== 'first_cursor_removed' && eachScan !== 'every_cursor_removed') return removed;
  const cursors = Array.from({ length: times[eachScan] }, (_, at) => firstCursorIndex + at);
  return new Set([...removed, ...cursors]);
}
