import {
  avoidedIdentities,
  firstTries,
  type PageTries,
  unreachableIdentities,
} from '@inventory/refresh-collector/egress/page-verdicts.domain';
import { createSlotOrder } from '@inventory/refresh-collector/egress/slot-order.domain';
import { pageCapacities } from '@inventory/refresh-collector/planning/page-capacity.domain';
import {
  busyScans,
  type PlanRules,
  scanShare,
} from '@inventory/refresh-collector/planning/plan-rules.domain';
import { createQueuedRefreshes } from '@inventory/refresh-collector/planning/queued-refreshes.domain';
import { planScans, type ScanPlan } from '@inventory/refresh-collector/planning/scan-plan.domain';
import { createTypicalPages } from '@inventory/refresh-collector/planning/typical-pages.domain';
import { pageDueMs } from '@inventory/refresh-collector/scans/page-due.domain';
import type { Arrival, Mix } from './mix.ts';
import { SimulatedBreakers } from './simulated-breakers.ts';
import { type Failure, limits, pageMs, SimulatedEgress } from './simulated-egress.ts';
import { arrivedScan, queuedRefresh, type SimulatedScan, startedScan } from './simulated-scan.ts';
import { VirtualTime } from './virtual-time.ts';

/** How one simulated refresh ended. */
export interface Ended {
  readonly arrival: Arrival;
  readonly inventory: string;
  readonly startedMs: number | null;
  readonly endedMs: number;
  readonly pagesRead: number;
  /** Whether all pages that it was known to have were reserved. */
  readonly isReserved: boolean;
  /** When they were reserved first; null where they never were. */
  readonly reservedMs: number | null;
  readonly complete: boolean;
  /** Whether it ran until its deadline: no plan parked or ended it before. */
  readonly ranOut: boolean;
}

export interface Played {
  readonly ended: readonly Ended[];
  /** When an identity failed that the plan counted on. */
  readonly lossesMs: readonly number[];
}

/** What decides in a simulation; a test replaces a part to plant a fault. */
export interface PlayRules {
  readonly planScans: typeof planScans;
  readonly createQueuedRefreshes: typeof createQueuedRefreshes;
  readonly pageCapacities: typeof pageCapacities;
  readonly createSlotOrder: typeof createSlotOrder;
  readonly planEveryMs: number;
}

export const realRules: PlayRules = {
  planScans,
  createQueuedRefreshes,
  pageCapacities,
  createSlotOrder,
  planEveryMs: 1_000,
};

export const queueMs = 30 * 60_000;
export const collectMs = 60 * 60_000;
const pagesMax = 125;
const typicalPagesFirst = 10;
/** The age of a plan when other replicas read it. */
const planLagMs = 1_000;
const retryMs = 4_000;
const breakerPauseMs = 1_000;
const triesMax = 5;
const liveWaitMs = 20_000;

const untried = firstTries(2_000);

function withFailure(
  { responses, size }: PageTries,
  identity: string,
  { result }: Failure,
): PageTries {
  return { responses: [...responses, { identity, response: result, ofFirstPage: false }], size };
}

/** Plays a mix in virtual time with the real plan, identity, breaker and slot rules. */
export function simulate(mix: Mix, random: () => number, rules: PlayRules = realRules): Played {
  return new Simulation(mix, random, rules).play();
}

class Simulation {
  private readonly time = new VirtualTime();
  private readonly scans: SimulatedScan[] = [];
  private readonly ended: Ended[] = [];
  private readonly breakers = new SimulatedBreakers();
  private readonly lastStartMs = new Map<string, number>();
  private readonly typical = createTypicalPages(typicalPagesFirst);
  private readonly lossesMs: number[] = [];
  private readonly mix: Mix;
  private readonly random: () => number;
  private readonly rules: PlayRules;
  private readonly planRules: PlanRules;
  private readonly egress: SimulatedEgress;

  constructor(mix: Mix, random: () => number, rules: PlayRules) {
    this.mix = mix;
    this.random = random;
    this.rules = rules;
    this.planRules = {
      collectMs,
      queueMs,
      busyScans: busyScans(mix.identities, limits, pageMs),
      identities: mix.identities,
      scansMax: 64 * mix.replicas,
      scansPerAccountMax: 16,
      share: scanShare(mix.liveShare),
      pagesMax,
    };
    this.egress = new SimulatedEgress(mix, {
      time: this.time,
      random,
      createSlotOrder: rules.createSlotOrder,
      onResponse: ({ scan, tries }, identity, failure) => {
        if (scan) this.responded(scan, failure ? withFailure(tries, identity, failure) : null);
      },
      onLoss: () => this.lossesMs.push(this.time.nowMs),
    });
  }

  play(): Played {
    const { time, mix, scans } = this;
    for (const [index, arrival] of mix.arrivals.entries()) {
      time.at(arrival.atMs, () => scans.push(arrivedScan(arrival, index, queueMs)));
    }
    const lastMs = Math.max(0, ...mix.arrivals.map(({ atMs }) => atMs)) + queueMs + collectMs;
    this.scheduleLivePages(lastMs);
    time.at(0, () => this.plan());
    time.runUntil(lastMs + 60_000);
    return { ended: this.ended, lossesMs: this.lossesMs };
  }

  private scheduleLivePages(lastMs: number): void {
    const { mix, random, time } = this;
    if (mix.liveShare === 0) return;
    const everyMs = 60_000 / (mix.liveShare * mix.identities * limits.requestsPerMinute);
    for (let atMs = everyMs * random(); atMs < lastMs; atMs += everyMs * 2 * random()) {
      time.at(atMs, () => this.requestLivePage());
    }
  }

  private requestLivePage(): void {
    const { egress, mix } = this;
    const replica = Math.floor(this.random() * mix.replicas);
    egress.request({
      ...{ accountId: 'live', inventory: 'live', deadlineMs: null, scan: null, replica },
      ...this.identitiesFor(untried),
    });
    const order = egress.lastOrder;
    this.time.after(liveWaitMs, () => egress.withdrawLive(order));
  }

  private requestPage(scan: SimulatedScan, tries: PageTries = untried): void {
    const { replica, deadlineMs } = scan;
    const { accountId, appId, pagesKnown } = scan.arrival;
    const dueMs = pageDueMs(
      {
        startedAtMs: scan.startedMs ?? 0,
        deadlineMs,
        isSizeKnown: pagesKnown !== null || scan.pagesRead > 0,
      },
      scan.tries,
    );
    if (this.breakers.admits(appId, this.time.nowMs)) {
      const { inventory } = scan;
      const request = { accountId, inventory, deadlineMs: dueMs, scan, replica };
      this.egress.request({ ...request, ...this.identitiesFor(tries) });
    } else this.retry(scan, tries, breakerPauseMs);
  }

  private identitiesFor(tries: PageTries) {
    const ids = this.egress.identities.map(({ id }) => id);
    const avoid = avoidedIdentities(tries, ids);
    return { tries, avoid, unreachable: unreachableIdentities(tries) };
  }

  /** Without failed tries the platform responded. */
  private responded(scan: SimulatedScan, failed: PageTries | null): void {
    if (scan.state === 'ended') return;
    if (failed) this.retry(scan, failed, 0);
    else if (this.isDown(scan)) this.onFailedPage(scan);
    else this.onGoodPage(scan);
  }

  private isDown({ arrival }: SimulatedScan): boolean {
    const { downApps, downTime = { fromMs: 0, untilMs: Number.POSITIVE_INFINITY } } = this.mix;
    const { nowMs } = this.time;
    return downApps.includes(arrival.appId) && downTime.fromMs <= nowMs && nowMs < downTime.untilMs;
  }

  private onFailedPage(scan: SimulatedScan): void {
    this.breakers.record(scan, true, this.time.nowMs);
    scan.tries += 1;
    if (scan.tries >= triesMax) this.end(scan, false);
    else this.retry(scan, untried, retryMs);
  }

  private onGoodPage(scan: SimulatedScan): void {
    this.breakers.record(scan, false, this.time.nowMs);
    scan.tries = 0;
    scan.pagesRead += 1;
    const { pages, pagesKnown } = scan.arrival;
    if (scan.pagesRead === 1) {
      this.typical.add(pages);
      scan.isReserved = pages <= (pagesKnown ?? 0);
      if (!scan.isReserved) scan.reservedMs = null;
    }
    if (scan.pagesRead >= pages) this.end(scan, true);
    else if (scan.state === 'running') this.requestPage(scan);
  }

  private retry(scan: SimulatedScan, tries: PageTries, delayMs: number): void {
    this.time.after(delayMs, () => {
      if (scan.state === 'running') this.requestPage(scan, tries);
    });
  }

  private end(scan: SimulatedScan, complete: boolean): void {
    if (scan.state === 'ended') return;
    const ranOut = scan.state === 'running' && this.time.nowMs >= scan.deadlineMs;
    scan.state = 'ended';
    this.egress.withdrawScan(scan);
    const { arrival, inventory, startedMs, pagesRead, isReserved, reservedMs } = scan;
    const endedMs = this.time.nowMs;
    this.ended.push({
      arrival,
      inventory,
      startedMs,
      endedMs,
      pagesRead,
      isReserved,
      reservedMs,
      complete,
      ranOut,
    });
  }

  private start(scan: SimulatedScan): void {
    const { nowMs } = this.time;
    scan.startedMs = nowMs;
    scan.deadlineMs = nowMs + collectMs;
    if (scan.arrival.pagesKnown !== null) scan.reservedMs = nowMs;
    this.lastStartMs.set(scan.arrival.accountId, nowMs);
    this.run(scan);
  }

  /** On the replica with the fewest scans. */
  private run(scan: SimulatedScan): void {
    const loads = Array.from({ length: this.mix.replicas }, () => 0);
    for (const { state, replica } of this.scans) {
      if (state === 'running') loads[replica] = (loads[replica] ?? 0) + 1;
    }
    scan.replica = loads.indexOf(Math.min(...loads));
    scan.state = 'running';
    this.requestPage(scan);
  }

  private park(scan: SimulatedScan): void {
    scan.state = 'parked';
    this.egress.withdrawScan(scan);
  }

  private plan(): void {
    const { time, mix, egress, planRules, typical, breakers, lastStartMs } = this;
    const open = this.scans.filter(({ state }) => state !== 'ended');
    const snapshot = {
      nowMs: time.nowMs,
      capacity: this.rules.pageCapacities(egress.identities, limits, time.nowMs),
      queued: this.rules.createQueuedRefreshes(
        open.filter(({ state }) => state === 'queued').map(queuedRefresh),
      ),
      typicalPages: typical.pages,
      isPostponed: () => false,
      scans: open
        .filter(({ state }) => state !== 'queued')
        .map((scan) => startedScan(scan, typical.pages)),
      scanAllowance: (appId: number) => breakers.scanAllowance(appId, time.nowMs),
      lastStartMs: (accountId: string) => lastStartMs.get(accountId),
    };
    const decided = this.rules.planScans(snapshot, planRules);
    this.carryOut(decided, new Map(open.map((scan) => [scan.id, scan])));
    const next = { urgentUntilMs: decided.urgentUntilMs, liveShare: 1 - planRules.share };
    time.after(planLagMs, () => egress.follow(next));
    if (this.ended.length < mix.arrivals.length) {
      time.after(this.rules.planEveryMs, () => this.plan());
    }
  }

  private carryOut(plan: ScanPlan, open: ReadonlyMap<string, SimulatedScan>): void {
    const { time } = this;
    const each = (ids: readonly string[], act: (scan: SimulatedScan) => void) => {
      for (const id of ids) {
        const scan = open.get(id);
        if (scan) act(scan);
      }
    };
    each([...plan.overdue, ...plan.end], (scan) => this.end(scan, false));
    each(plan.park, (scan) => this.park(scan));
    each(plan.reserved, (scan) => {
      scan.isReserved = true;
      scan.reservedMs ??= time.nowMs;
    });
    each(plan.resume, (scan) => this.run(scan));
    each(plan.start, (scan) => this.start(scan));
  }
}
