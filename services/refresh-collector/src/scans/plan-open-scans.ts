import type { Clock } from '@inventory/runtime/clock';
import type { ScanAllowance } from '../egress/app-breaker.domain.ts';
import type { IdentityLimits, IdentityState } from '../egress/egress-identity.domain.ts';
import {
  type AccountPages,
  noPlan,
  type PublishedPlan,
} from '../refreshes/published-plan.domain.ts';
import { pageCapacity } from './page-capacity.domain.ts';
import { busyScans, type PlanRules, scanShare } from './plan-rules.domain.ts';
import type { QueueSnapshot } from './queue-snapshot.domain.ts';
import type { Replicas } from './replica-store.ts';
import { planScans, type ScanPlan } from './scan-plan.domain.ts';

/** The inputs of a plan beside the refreshes. */
export interface PlanConditions {
  readonly identities: readonly IdentityState[];
  readonly replicas: Replicas;
  /** Mean time of one page request. */
  readonly pageMs: number;
  readonly scanAllowance: (appId: number) => ScanAllowance;
  readonly lastStartMs: QueueSnapshot['lastStartMs'];
  readonly typicalPages: number;
}

export interface PlanLimits {
  readonly identities: IdentityLimits;
  readonly queueMs: number;
  readonly collectMs: number;
  readonly scansMax: number;
  readonly scansPerAccountMax: number;
  /** Pages of the largest refresh that a reservation pays for. */
  readonly pagesMax: number;
}

const busiestMax = 1_000;

/** Plans the open refreshes and computes what is published of the plan. */
export function planOpenScans(
  open: Pick<QueueSnapshot, 'queued' | 'scans'>,
  conditions: PlanConditions,
  limits: PlanLimits,
  clock: Clock,
): { readonly decided: ScanPlan; readonly published: PublishedPlan } {
  const nowMs = clock.now();
  const { identities, replicas, scanAllowance, lastStartMs } = conditions;
  const capacity = pageCapacity(identities, limits.identities, nowMs);
  const slotsPerMinute = identities.length * limits.identities.requestsPerMinute;
  const share = scanShare(replicas.livePagesPerMinute / slotsPerMinute);
  const rules: PlanRules = {
    collectMs: limits.collectMs,
    queueMs: limits.queueMs,
    busyScans: busyScans(identities.length, limits.identities, conditions.pageMs),
    identities: identities.length,
    scansMax: limits.scansMax * replicas.count,
    scansPerAccountMax: limits.scansPerAccountMax,
    share,
    pagesMax: limits.pagesMax,
  };
  // The expected size of an unknown inventory never keeps its scan from starting.
  const half = (rules.share * capacity.until(nowMs + limits.collectMs)) / 2;
  const typicalPages = Math.min(conditions.typicalPages, Math.max(1, Math.floor(half)));
  const queued = open.queued.map((refresh) =>
    refresh.isSizeKnown ? refresh : { ...refresh, pages: Math.min(refresh.pages, typicalPages) },
  );
  const decided = planScans(
    { ...open, queued, nowMs, capacity, scanAllowance, lastStartMs },
    rules,
  );
  const accounts = pagesByAccount(open);
  const latestStartMs = nowMs + limits.queueMs;
  const endMs = latestStartMs + limits.collectMs;
  return {
    decided,
    published: {
      ...noPlan,
      atMs: nowMs,
      urgentUntilMs: decided.urgentUntilMs,
      liveShare: 1 - share,
      pagesPerMinute: capacity.pagesPerMinute * rules.share,
      pagesReserved: decided.pagesReserved,
      pagesWaiting: decided.pagesWaiting,
      pagesFree: decided.pagesFree,
      scanPagesMax: Math.floor(share * (capacity.until(endMs) - capacity.until(latestStartMs))),
      typicalPages,
      replicas: replicas.count,
      accounts: accounts.length,
      busiest: accounts.slice(0, busiestMax),
    },
  };
}

/** Largest first. */
function pagesByAccount({
  queued,
  scans,
}: Pick<QueueSnapshot, 'queued' | 'scans'>): AccountPages[] {
  const accounts = new Map<string, AccountPages>();
  const add = (accountId: string, more: number) => {
    const { refreshes, pages } = accounts.get(accountId) ?? { refreshes: 0, pages: 0 };
    accounts.set(accountId, { accountId, refreshes: refreshes + 1, pages: pages + more });
  };
  for (const refresh of queued) add(refresh.accountId, refresh.pages);
  for (const scan of scans) add(scan.accountId, scan.pagesLeft);
  return [...accounts.values()].toSorted((left, right) => right.pages - left.pages);
}
