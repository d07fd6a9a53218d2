import {
  type InventoryKey,
  inventoryKey,
  inventoryKeyText,
} from '@inventory/contracts/inventory-key';
import { request } from 'undici';

export interface DemoInventory {
  readonly scope: InventoryKey;
  readonly name: string;
}

/** Three pages: paginated, and collected within seconds. */
const scenarioName = 'size-4001';

/** The inventory of DEMO_INVENTORY, else one that the simulator lists; null without both. */
export async function findDemoInventory(
  asked: InventoryKey | null,
  simulatorUrl: string | null,
): Promise<DemoInventory | null> {
  if (asked !== null) return { scope: asked, name: inventoryKeyText(asked) };
  if (simulatorUrl === null) return null;
  const { body } = await request(`${simulatorUrl}/scenarios`);
  const scenarios = (await body.json()) as Readonly<Record<string, unknown>>;
  return {
    scope: inventoryKey.parse(scenarios[scenarioName]),
    name: `simulator scenario ${scenarioName}`,
  };
}
