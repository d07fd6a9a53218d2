import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import { scenarioNames } from '@inventory/platform-simulator/scenarios';

/** Scenarios that end in anything but a complete inventory (upstream: mapping to outcomes). */
const failures: Readonly<Record<string, RefreshOutcome>> = {
  private: 'private',
  'private-401': 'private',
  'becomes-private-at-page-2': 'private',
  // Page 1 stays public, so it is no private inventory.
  'private-at-page-2-only': 'upstream_unavailable',
  'not-found': 'not_found',
  'not-found-html': 'not_found',
  'unknown-app': 'not_found',
  'eresult-42': 'not_found',
  'bad-request': 'upstream_unavailable',
  'eresult-77': 'upstream_unavailable',
  'eresult-55': 'upstream_unavailable',
  'null-200': 'upstream_unavailable',
  'html-200': 'upstream_unavailable',
  'old-refusal': 'upstream_unavailable',
  unsuccessful: 'upstream_unavailable',
  'fake-redirect': 'upstream_unavailable',
  'truncated-json': 'upstream_unavailable',
  'gateway-503': 'upstream_unavailable',
  slow: 'upstream_unavailable',
  'cursor-removed-500': 'upstream_unavailable',
  'called-compressed': 'upstream_unavailable',
  'compressed-unknown': 'upstream_unavailable',
  'firewall-html': 'upstream_unavailable',
  'deep-row': 'upstream_unavailable',
  'assets-twice': 'upstream_unavailable',
  'more-items-twice': 'upstream_unavailable',
  'repeated-end': 'incomplete',
  'same-cursor-twice': 'incomplete',
  'cursor-cycle': 'incomplete',
  'cursor-missing': 'incomplete',
  'never-ends': 'incomplete',
  'cursor-removed-each-time': 'incomplete',
};

/** Too long for a test among many; the benchmarks and the store's own test walk them. */
const longScenarios: readonly string[] = ['size-250000', 'size-250001'];

/** How the first refresh of every scenario account of the platform ends. */
export const expectedOutcomes: readonly (readonly [scenario: string, outcome: RefreshOutcome])[] =
  scenarioNames
    .filter((name) => !longScenarios.includes(name))
    .map((name) => [name, failures[name] ?? 'complete_changed']);

/** Assets of each scenario where a scan could end early and look complete. */
export const wholeSizes: ReadonlyMap<string, number> = new Map([
  ['size-4001', 4_001],
  ['all-hidden', 0],
  ['some-hidden', 40],
  ['blank-middle-page', 4_001],
  ['short-middle-page', 5_000],
  ['cursor-removed-next', 4_001],
  ['cursor-removed-blank-end', 4_000],
  ['hidden-end', 4_000],
  ['heavy-first-page', 6_001],
  ['partly-repeated-end-once', 4_000],
  ['more-rows-than-asked', 5_001],
  ['all-rows-at-once', 5_001],
  ['compressed-pages', 4_001],
  ['odd-text', 30],
  ['odd-blocks', 60],
  ['description-twice', 30],
  ['heavy-compressed-page', 6_001],
]);

/** Applications other than the one most accounts use. */
const otherApps = [440, 570, 252_490, 578_080] as const;

/**
 * Of which application each of them is asked for when all are asked for at the same time: a row of
 * failures would open the breaker of the one that most of them share.
 */
export function spreadApp(index: number, ownApp: number): number {
  const [scenario = '', outcome] = expectedOutcomes[index] ?? [];
  const failsForAWhile = /-once|-twice|until-silent/.test(scenario);
  const keepsItsApp = outcome === 'complete_changed' && !failsForAWhile;
  if (keepsItsApp || scenario === 'unknown-app') return ownApp;
  return otherApps[index % otherApps.length] ?? ownApp;
}
