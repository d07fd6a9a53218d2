import type { IdentityLimits, IdentityState } from '../egress/egress-identity.domain.ts';
import { type AccountPages, noPlan, type PublishedPlan } from '../plan/published-plan.domain.ts';
import type { Replicas } from '../plan/replica-store.ts';
import { type PageCapacity, pageCapacities } from './page-capacity.domain.ts';
import { busyScans, type PlanRules, scanShare } from './plan-rules.domain.ts';
import type { OpenRefreshes, StartConditions } from './queue-snapshot.domain.ts';
import type { QueuedSum } from './queued-refreshes.domain.ts';
import { planScans, type ScanPlan } from './scan-plan.domain.ts';

/** The inputs of a plan beside the refreshes. */
interface PlanConditions extends StartConditions {
  readonly identities: readonly IdentityState[];
  readonly replicas: Replicas;
  /** Mean time of one page request. */
  readonly pageMs: number;
}

export interface PlanLimits {
  readonly assetsPerPage: number;
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
  open: OpenRefreshes,
  { identities, replicas, pageMs, ...conditions }: PlanConditions,
  limits: PlanLimits,
  nowMs: number,
): { readonly decided: ScanPlan; readonly published: PublishedPlan } {
  const capacity = pageCapacities(identities, limits.identities, nowMs);
  const slotsPerMinute = identities.length * limits.identities.requestsPerMinute;
  const share = scanShare(replicas.livePagesPerMinute / slotsPerMinute);
  const rules: PlanRules = {
    collectMs: limits.collectMs,
    queueMs: limits.queueMs,
    busyScans: busyScans(identities.length, limits.identities, pageMs),
    identities: identities.length,
    scansMax: limits.scansMax * replicas.count,
    scansPerAccountMax: limits.scansPerAccountMax,
    share,
    pagesMax: limits.pagesMax,
  };
  // The expected size of an unknown inventory never keeps its scan from starting.
  const half = (rules.share * capacity.expected.until(nowMs + limits.collectMs)) / 2;
  const typicalPages = Math.min(open.typicalPages, Math.max(1, Math.floor(half)));
  const decided = planScans({ ...open, ...conditions, typicalPages, nowMs, capacity }, rules);
  const accounts = pagesByAccount(open, typicalPages);
  return {
    decided,
    published: {
      ...noPlan,
      atMs: nowMs,
      urgentUntilMs: decided.urgentUntilMs,
      liveShare: 1 - share,
      pagesPerMinute: capacity.expected.pagesPerMinute * share,
      pagesPerMinuteHoped: capacity.hoped.pagesPerMinute * share,
      servesFromMs: capacity.servesFromMs,
      pagesReserved: decided.pagesReserved,
      pagesWaiting: decided.pagesWaiting,
      pagesFree: decided.pagesFree,
      scanPagesMax: Math.floor(share * pagesOfLatestScan(capacity.hoped, limits, nowMs)),
      typicalPages,
      replicas: replicas.count,
      accounts: accounts.length,
      busiest: accounts.slice(0, busiestMax),
    },
  };
}

/** Pages that one scan can read between the latest start of a refresh queued now and its deadline. */
function pagesOfLatestScan(
  capacity: PageCapacity,
  { queueMs, collectMs }: PlanLimits,
  nowMs: number,
): number {
  const startMs = nowMs + queueMs;
  return capacity.until(startMs + collectMs) - capacity.until(startMs);
}

/** Largest first. */
function pagesByAccount({ queued, scans }: OpenRefreshes, typicalPages: number): AccountPages[] {
  const accounts = new Map<string, AccountPages>();
  const add = (accountId: string, more: QueuedSum) => {
    const { refreshes, pages } = accounts.get(accountId) ?? { refreshes: 0, pages: 0 };
    accounts.set(accountId, {
      accountId,
      refreshes: refreshes + more.refreshes,
      pages: pages + more.pages,
    });
  };
  for (const account of queued.accounts()) {
    add(account.accountId, account.sum(typicalPages));
  }
  for (const { accountId, pagesLeft } of scans) add(accountId, { refreshes: 1, pages: pagesLeft });
  return [...accounts.values()].toSorted((left, right) => right.pages - left.pages);
}
