import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { scenarioNames } from '@inventory/platform-simulator/scenarios';
import { scenarioScope } from './simulator-control.ts';

/** How a walk over the live pages of a scenario ends, after how many good pages. */
export interface LiveEnd {
  readonly scenario: string;
  readonly pages: number;
  readonly status: 200 | 403 | 404 | 502 | 504;
  readonly code: string | null;
  readonly reason?: string;
}

type End = Omit<LiveEnd, 'scenario'>;

const denied = (pages: number): End => ({ pages, status: 403, code: 'inventory_private' });
const missing: End = { pages: 0, status: 404, code: 'inventory_not_found' };
const trouble = (pages: number, reason: string): End => ({
  pages,
  status: 502,
  code: 'upstream_unavailable',
  reason,
});

/** All that do not end with a last page. */
const ends: Readonly<Record<string, End>> = {
  private: denied(0),
  'private-401': denied(0),
  'becomes-private-at-page-2': denied(1),
  // Page 1 stays public, so it is no private inventory.
  'private-at-page-2-only': trouble(1, 'unconfirmed'),
  'not-found': missing,
  'not-found-html': missing,
  'unknown-app': missing,
  'eresult-42': missing,
  'bad-request': trouble(0, 'bad_answer'),
  'eresult-77': trouble(0, 'bad_answer'),
  'eresult-55': trouble(0, 'bad_answer'),
  'null-200': trouble(0, 'bad_answer'),
  'html-200': trouble(0, 'bad_answer'),
  'old-refusal': trouble(0, 'bad_answer'),
  unsuccessful: trouble(0, 'bad_answer'),
  'fake-redirect': trouble(0, 'bad_answer'),
  'truncated-json': trouble(0, 'bad_answer'),
  'gateway-503': trouble(0, 'bad_answer'),
  'firewall-html': trouble(0, 'throttled'),
  'deep-row': trouble(0, 'bad_answer'),
  'assets-twice': trouble(0, 'bad_answer'),
  'more-items-twice': trouble(0, 'bad_answer'),
  'called-compressed': trouble(0, 'bad_answer'),
  'compressed-unknown': trouble(0, 'bad_answer'),
  slow: { pages: 0, status: 504, code: 'upstream_timeout' },
  'cursor-removed-500': trouble(1, 'bad_answer'),
  'cursor-missing': trouble(0, 'bad_answer'),
  'same-cursor-twice': trouble(1, 'bad_answer'),
};

/** The platform leads in circles: each page is good, and only the client can stop. */
export const endlessScenarios: readonly string[] = ['cursor-cycle', 'never-ends'];

/** Too long for a test among many: Current and the benchmarks walk them. */
const longScenarios: readonly string[] = ['size-250000', 'size-250001'];

const lastPage: End = { pages: 0, status: 200, code: null };

/** How every scenario account of the platform is met by Live Page and V1. */
export const liveEnds: readonly LiveEnd[] = scenarioNames
  .filter((name) => !endlessScenarios.includes(name) && !longScenarios.includes(name))
  .map((scenario) => ({ scenario, ...(ends[scenario] ?? lastPage) }));

/** One of each kind: every status, and pages of which something has to be put right. */
const typical = [
  'size-4001',
  'all-hidden',
  'currency-row',
  'blank-middle-page',
  'duplicate-asset',
  'eresult-55-twice',
  'private',
  'becomes-private-at-page-2',
  'not-found',
  'unknown-app',
  'null-200',
  'cursor-missing',
];
export const typicalEnds = liveEnds.filter(({ scenario }) => typical.includes(scenario));

/** Applications other than the one most accounts use: a row of failures would open its breaker. */
const otherApps = [440, 570, 252_490, 578_080] as const;

export function scopeOfEnd({ scenario, status }: LiveEnd, serial: number): InventoryKey {
  const scope = scenarioScope(scenario, serial);
  const fails = status >= 500 || /-once|-twice|until-silent/.test(scenario);
  if (!fails) return scope;
  const place = scenarioNames.indexOf(scenario);
  return { ...scope, app_id: otherApps[place % otherApps.length] ?? 440 };
}
