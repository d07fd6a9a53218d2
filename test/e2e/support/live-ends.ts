import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { scenarioScope } from './simulator-control.ts';

/** How a walk over the live pages of a scenario ends, after how many good pages. */
export interface LiveEnd {
  readonly scenario: string;
  readonly pages: number;
  readonly status: 200 | 403 | 404 | 502;
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

const lastPage: End = { pages: 0, status: 200, code: null };

/**
 * One of each kind: every status, and pages of which something has to be put right. The collector's own
 * tests read every scenario.
 */
const ends: Readonly<Record<string, End>> = {
  'size-4001': lastPage,
  'all-hidden': lastPage,
  'currency-row': lastPage,
  'blank-middle-page': lastPage,
  'duplicate-asset': lastPage,
  'eresult-55-twice': lastPage,
  private: denied(0),
  'becomes-private-at-page-2': denied(1),
  'not-found': missing,
  'unknown-app': missing,
  'null-200': trouble(0, 'bad_answer'),
  'cursor-missing': trouble(0, 'bad_answer'),
};
export const typicalEnds: readonly LiveEnd[] = Object.entries(ends).map(([scenario, end]) => ({
  scenario,
  ...end,
}));

/** Applications other than the one most accounts use: a row of failures would open its breaker. */
const otherApps = [440, 570, 252_490, 578_080] as const;

export function scopeOfEnd({ scenario, status }: LiveEnd, serial: number): InventoryKey {
  const scope = scenarioScope(scenario, serial);
  const fails = status >= 500 || /-once|-twice|until-silent/.test(scenario);
  if (!fails) return scope;
  const index = Object.keys(ends).indexOf(scenario);
  return { ...scope, app_id: otherApps[index % otherApps.length] ?? 440 };
}
