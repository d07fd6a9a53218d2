import { scenarioPlatformId, sizePlatformId } from './platform-ids.ts';
import { completeScenarios } from './scenario/complete-scenarios.ts';
import { failingScenarios } from './scenario/failing-scenarios.ts';
import { oddPageScenarios } from './scenario/odd-page-scenarios.ts';
import type { ScenarioDefinition } from './scenario/scenario-definition.ts';
import { strangeByteScenarios } from './scenario/strange-byte-scenarios.ts';

/** An inventory to request from the platform. */
export type SimulatedInventory = {
  readonly platformId: string;
  readonly appId: number;
  readonly contextId: number;
};

const defaultAppId = 730;
const contextId = 2;

const scenarioDefinitions = [
  ...completeScenarios,
  ...oddPageScenarios,
  ...failingScenarios,
  ...strangeByteScenarios,
];

const byName = new Map(scenarioDefinitions.map((entry) => [entry.name, entry]));

const byNumber = new Map(scenarioDefinitions.map((entry) => [entry.number, entry]));

export const scenarioNames: readonly string[] = scenarioDefinitions.map((entry) => entry.name);

/**
 * The account of a scenario. Each serial (0 to 99,999,999,999) is an account of its own with its own
 * plan, so tests that run side by side take different ones; serial 0 is the listed account. Throws
 * on an unknown name.
 */
export function scenarioInventory(name: string, serial = 0): SimulatedInventory {
  const definition = byName.get(name);
  if (definition === undefined) {
    throw new Error(`no scenario is named ${name}`);
  }
  return inventoryOf(definition, serial);
}

/** The scenario of a number, as found in a platform id. */
export function scenarioOfNumber(number: number): ScenarioDefinition | undefined {
  return byNumber.get(number);
}

/** A public account with `size` assets (0 to 999,999); serial 0 to 99,999,999. */
export function sizeInventory(size: number, serial = 0, appId = defaultAppId): SimulatedInventory {
  return { platformId: sizePlatformId(size, serial), appId, contextId };
}

/** The body of `GET /scenarios`: name to account and what it shows. */
export function scenarioListing(): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    scenarioDefinitions.map((definition) => {
      const account = inventoryOf(definition, 0);
      return [
        definition.name,
        {
          platform_id: account.platformId,
          app_id: account.appId,
          context_id: account.contextId,
          shows: definition.shows,
        },
      ];
    }),
  );
}

function inventoryOf(definition: ScenarioDefinition, serial: number): SimulatedInventory {
  return {
    platformId: scenarioPlatformId(definition.number, serial),
    appId: definition.appId ?? defaultAppId,
    contextId,
  };
}
