import { type Scope, scope, scopeKey } from '@inventory/contracts/scope';
import { callJson } from './call-json.ts';

export interface DemoInventory {
  readonly scope: Scope;
  readonly name: string;
}

/** Three pages: paginated, and collected within seconds. */
const scenarioName = 'size-4001';

/** The inventory of DEMO_INVENTORY, else one that the simulator lists; null without both. */
export async function findDemoInventory(
  asked: Scope | null,
  simulatorUrl: string | null,
): Promise<DemoInventory | null> {
  if (asked !== null) return { scope: asked, name: scopeKey(asked) };
  if (simulatorUrl === null) return null;
  const url = `${simulatorUrl}/scenarios`;
  const { body } = await callJson({ method: 'GET', url, headers: {} });
  return { scope: scope.parse(body[scenarioName]), name: `simulator scenario ${scenarioName}` };
}
