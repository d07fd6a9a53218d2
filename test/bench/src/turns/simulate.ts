import {
  type AppOpening,
  type InventoryResult,
  isOutage,
  nextProbeMs,
  opened,
  readsOf,
  withResult,
} from '@inventory/refresh-collector/domain/app-breaker';
import {
  freshIdentity,
  giveIdentityBack,
  type IdentityLimits,
  type IdentityState,
  nextRequestMs,
  spareUntilMs,
  takeIdentity,
} from '@inventory/refresh-collector/domain/egress-identity';
import { pageCapacity } from '@inventory/refresh-collector/domain/page-capacity';
import {
  busyScans,
  type PlanRules,
  planScans,
} from '@inventory/refresh-collector/domain/scan-plan';
import {
  createSlotOrder,
  isUrgent,
  type SlotOrder,
  type SlotRequest,
  type SlotRules,
} from '@inventory/refresh-collector/domain/slot-order';
import type { Arrival, Mix } from './mix.ts';
import { VirtualTime } from './virtual-time.ts';

/** How one simulated refresh ended. */
export interface Ended {
  readonly arrival: Arrival;
  readonly startedMs: number | null;
  readonly endedMs: number;
  readonly pagesRead: number;
  readonly complete: boolean;
}

export interface Played {
  readonly ended: readonly Ended[];
  /** Slots used by scans, and by live pages. */
  readonly scanSlots: number;
  readonly liveSlots: number;
  readonly liveAsked: number;
}

interface SimulatedScan {
  readonly id: string;
  readonly inventory: string;
  readonly arrival: Arrival;
  state: 'queued' | 'running' | 'parked' | 'ended';
  startedMs: number | null;
  deadlineMs: number;
  queueDeadlineMs: number;
  pagesRead: number;
  tries: number;
  replica: number;
}

interface Waiting extends SlotRequest {
  readonly scan: SimulatedScan | null;
  readonly replica: number;
}

export const limits: IdentityLimits = {
  requestsPerMinute: 3,
  burst: 2,
  silenceFirstMs: 90_000,
  silenceMaxMs: 1_800_000,
  unreachableFirstMs: 10_000,
  unreachableMaxMs: 300_000,
};
export const queueMs = 30 * 60_000;
export const collectMs = 60 * 60_000;
export const unknownPages = 125;
const planEveryMs = 1_000;
/** What other replicas see of a plan is as old as this. */
const planLagMs = 1_000;
const yieldMs = 1_000;
const pageMs = 1_000;
const connectTimeoutMs = 5_000;
const retryMs = 4_000;
const breakerPauseMs = 1_000;
const triesMax = 5;
const liveWaitMs = 20_000;
const typicalPagesFirst = 10;

/** Plays a mix in virtual time with the real plan, identity, breaker and slot rules. */
export function simulate(mix: Mix, random: () => number): Played {
  const time = new VirtualTime();
  const scans: SimulatedScan[] = [];
  const ended: Ended[] = [];
  const identities: IdentityState[] = Array.from({ length: mix.identities }, (_, index) =>
    freshIdentity(`identity-${index}`),
  );
  const isDead = (identityId: string) =>
    identities.findIndex(({ id }) => id === identityId) < mix.deadIdentities;
  const orders: SlotOrder[] = Array.from({ length: mix.replicas }, createSlotOrder);
  const results = new Map<number, readonly InventoryResult[]>();
  const openings = new Map<number, AppOpening>();
  const lastStartMs = new Map<string, number>();
  let waiting: Waiting[] = [];
  let slotRules: SlotRules = { urgentUntilMs: null, liveShare: 0.05 };
  let order = 0;
  let [scanSlots, liveSlots, liveAsked] = [0, 0, 0];
  let revealed: number[] = [];

  const typicalPages = () =>
    revealed.length === 0
      ? typicalPagesFirst
      : Math.ceil(revealed.reduce((sum, pages) => sum + pages, 0) / revealed.length);
  const expectedPages = ({ arrival }: SimulatedScan) => arrival.pagesKnown ?? typicalPages();
  const isSizeKnown = (scan: SimulatedScan) =>
    scan.pagesRead > 0 || scan.arrival.pagesKnown !== null;
  const pagesLeft = (scan: SimulatedScan) =>
    scan.pagesRead > 0
      ? Math.max(1, scan.arrival.pages - scan.pagesRead)
      : Math.max(1, expectedPages(scan));

  function end(scan: SimulatedScan, complete: boolean): void {
    if (scan.state === 'ended') return;
    scan.state = 'ended';
    waiting = waiting.filter((request) => request.scan !== scan);
    const { arrival, startedMs, pagesRead } = scan;
    ended.push({ arrival, startedMs, endedMs: time.nowMs, pagesRead, complete });
  }

  /** A request of an application that is left alone waits for the next probe. */
  function mayAsk(appId: number): boolean {
    const opening = openings.get(appId);
    if (!opening) return true;
    if (time.nowMs < opening.probeAtMs) return false;
    openings.set(appId, { ...opening, probeAtMs: nextProbeMs(time.nowMs) });
    return true;
  }

  function ask(scan: SimulatedScan, avoid: readonly string[] = []): void {
    if (!mayAsk(scan.arrival.appId)) {
      retry(scan, avoid, breakerPauseMs);
      return;
    }
    order += 1;
    const { replica, arrival } = scan;
    const deadlineMs = scan.pagesRead > 0 ? scan.deadlineMs : 0;
    waiting.push({ accountId: arrival.accountId, deadlineMs, avoid, order, scan, replica });
    serve();
  }

  function askLive(): void {
    liveAsked += 1;
    order += 1;
    const replica = Math.floor(random() * mix.replicas);
    const request = { accountId: 'live', deadlineMs: null, avoid: [], order, scan: null, replica };
    waiting.push(request);
    time.after(liveWaitMs, () => {
      waiting = waiting.filter((other) => other !== request);
    });
    serve();
  }

  /** Each replica serves its own requests through whichever identity is free. */
  function serve(): void {
    for (let index = 0; index < identities.length; index += 1) {
      const identity = identities[index];
      if (!identity || nextRequestMs(identity, limits) > time.nowMs) continue;
      const first = Math.floor(random() * mix.replicas);
      for (let step = 0; step < mix.replicas; step += 1) {
        if (serveBy((first + step) % mix.replicas, index, identity)) break;
      }
    }
  }

  function serveBy(replica: number, index: number, identity: IdentityState): boolean {
    const own = waiting.filter((request) => request.replica === replica);
    const usable = own.filter(({ avoid }) => !avoid.includes(identity.id));
    const request = orders[replica]?.next(usable, slotRules);
    if (!request) return false;
    const mustYield =
      slotRules.urgentUntilMs !== null &&
      request.deadlineMs !== null &&
      !isUrgent(request, slotRules);
    const spareMs = spareUntilMs(identity, limits) - yieldMs;
    if (mustYield && spareMs > time.nowMs) {
      time.at(spareMs, serve);
      return false;
    }
    const otherKind = own.some(
      (one) => (one.deadlineMs === null) !== (request.deadlineMs === null),
    );
    orders[replica]?.served(request, otherKind);
    waiting = waiting.filter((one) => one !== request);
    identities[index] = takeIdentity(identity, limits, {
      token: 'held',
      nowMs: time.nowMs,
      untilMs: time.nowMs + 40_000,
    });
    const tookMs = isDead(identity.id) ? connectTimeoutMs : pageMs * (0.5 + random());
    time.after(tookMs, () => answered(request, index));
    return true;
  }

  function answered({ scan }: Waiting, index: number): void {
    const identity = identities[index];
    if (!identity) return;
    const dead = isDead(identity.id);
    const verdict = dead ? ({ verdict: 'unreachable' } as const) : ({ verdict: 'served' } as const);
    const free = giveIdentityBack(identity, limits, verdict, time.nowMs);
    identities[index] = free;
    time.at(nextRequestMs(free, limits), serve);
    if (!scan) liveSlots += dead ? 0 : 1;
    else onScanAnswer(scan, dead ? identity.id : null);
    serve();
  }

  function onScanAnswer(scan: SimulatedScan, deadIdentity: string | null): void {
    if (deadIdentity === null) scanSlots += 1;
    if (scan.state === 'ended') return;
    if (deadIdentity !== null) retry(scan, [deadIdentity], 0);
    else if (mix.downApps.includes(scan.arrival.appId)) onFailedPage(scan);
    else onGoodPage(scan);
  }

  function record(scan: SimulatedScan, failed: boolean): void {
    const { appId, accountId } = scan.arrival;
    const opening = openings.get(appId);
    if (opening) {
      if (!failed) openings.delete(appId);
      else if (time.nowMs >= opening.openUntilMs) openings.set(appId, opened(opening, time.nowMs));
      return;
    }
    const latest = { scopeKey: scan.inventory, accountId, failed, atMs: time.nowMs };
    const after = withResult(results.get(appId) ?? [], latest);
    results.set(appId, after);
    if (failed && isOutage(after)) openings.set(appId, opened(null, time.nowMs));
  }

  function onFailedPage(scan: SimulatedScan): void {
    record(scan, true);
    scan.tries += 1;
    if (scan.tries >= triesMax) end(scan, false);
    else retry(scan, [], retryMs);
  }

  function onGoodPage(scan: SimulatedScan): void {
    record(scan, false);
    scan.tries = 0;
    scan.pagesRead += 1;
    const { pages } = scan.arrival;
    if (scan.pagesRead === 1) revealed = [...revealed, pages].slice(-50);
    if (scan.pagesRead >= pages) end(scan, true);
    else if (scan.state === 'running') ask(scan);
  }

  function retry(scan: SimulatedScan, avoid: readonly string[], delayMs: number): void {
    time.after(delayMs, () => {
      if (scan.state === 'running') ask(scan, avoid);
    });
  }

  function startScan(scan: SimulatedScan): void {
    scan.startedMs = time.nowMs;
    scan.deadlineMs = time.nowMs + collectMs;
    lastStartMs.set(scan.arrival.accountId, time.nowMs);
    run(scan);
  }

  function run(scan: SimulatedScan): void {
    const running = (replica: number) =>
      scans.filter((one) => one.state === 'running' && one.replica === replica).length;
    const replicas = Array.from({ length: mix.replicas }, (_, replica) => replica);
    scan.replica = replicas.toSorted((left, right) => running(left) - running(right))[0] ?? 0;
    scan.state = 'running';
    ask(scan);
  }

  const rules: PlanRules = {
    collectMs,
    queueMs,
    busyScans: busyScans(mix.identities, limits, pageMs),
    tightPages: mix.identities,
    scansMax: 64 * mix.replicas,
    scansPerAccountMax: 16,
    share: 1 - Math.min(0.5, Math.max(0.05, mix.liveShare)),
    unknownPages,
  };

  function plan(): void {
    const open = scans.filter(({ state }) => state !== 'ended');
    const nowMs = time.nowMs;
    const of = ({ id, inventory, arrival }: SimulatedScan) => ({
      id,
      inventory,
      accountId: arrival.accountId,
      appId: arrival.appId,
    });
    const decided = planScans(
      {
        nowMs,
        capacity: pageCapacity(identities, limits, nowMs),
        queued: open
          .filter(({ state }) => state === 'queued')
          .map((scan) => ({
            ...of(scan),
            queueDeadlineMs: scan.queueDeadlineMs,
            pages: expectedPages(scan),
            isSizeKnown: scan.arrival.pagesKnown !== null,
          })),
        scans: open
          .filter(({ state }) => state !== 'queued')
          .map((scan) => ({
            ...of(scan),
            deadlineMs: scan.deadlineMs,
            pagesLeft: pagesLeft(scan),
            isSizeKnown: isSizeKnown(scan),
            parked: scan.state === 'parked',
          })),
        readsOf: (appId) => readsOf(openings.get(appId) ?? null, nowMs),
        lastStartMs,
      },
      rules,
    );
    const byId = new Map(open.map((scan) => [scan.id, scan]));
    const each = (ids: readonly string[], act: (scan: SimulatedScan) => void) => {
      for (const id of ids) {
        const scan = byId.get(id);
        if (scan) act(scan);
      }
    };
    each([...decided.overdue, ...decided.end], (scan) => end(scan, false));
    each(decided.park, (scan) => {
      scan.state = 'parked';
      waiting = waiting.filter((request) => request.scan !== scan);
    });
    each(decided.resume, run);
    each(decided.start, startScan);
    const next = { urgentUntilMs: decided.urgentUntilMs, liveShare: 1 - rules.share };
    time.after(planLagMs, () => {
      slotRules = next;
      serve();
    });
    if (scans.length < mix.arrivals.length || scans.some(({ state }) => state !== 'ended')) {
      time.after(planEveryMs, plan);
    }
  }

  for (const [index, arrival] of mix.arrivals.entries()) {
    time.at(arrival.atMs, () => {
      scans.push({
        id: `refresh-${index}`,
        inventory: `inventory-${index}`,
        arrival,
        state: 'queued',
        startedMs: null,
        deadlineMs: 0,
        queueDeadlineMs: arrival.atMs + queueMs,
        pagesRead: 0,
        tries: 0,
        replica: 0,
      });
    });
  }
  const lastMs = Math.max(0, ...mix.arrivals.map(({ atMs }) => atMs)) + queueMs + collectMs;
  if (mix.liveShare > 0) {
    const everyMs = 60_000 / (mix.liveShare * mix.identities * limits.requestsPerMinute);
    for (let atMs = everyMs * random(); atMs < lastMs; atMs += everyMs * 2 * random()) {
      time.at(atMs, askLive);
    }
  }
  time.at(0, plan);
  time.runUntil(lastMs + 60_000);
  return { ended, scanSlots, liveSlots, liveAsked };
}
