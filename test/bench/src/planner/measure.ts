import type { Arrival, IdentityLoss, Mix } from './mix.ts';
import { collectMs, type Ended, type Played, queueMs } from './simulate.ts';
import { connectTimeoutMs, limits, pageMs } from './simulated-egress.ts';

/** What a mix came to, against what its slots, deadlines and requests allow at most. */
export interface MixFigures {
  readonly completed: number;
  readonly paidPages: number;
  /** Most pages of complete scans, had all sizes been known beforehand. */
  readonly paidPagesMost: number;
  /**
   * Of one-page refreshes, the 95th percentile of their wait over their fair share; null without such
   * refreshes, and where all wait for the identities.
   */
  readonly waitOverFair: number | null;
}

/** The end of the first pause of an identity that ends after its loss. */
function endOfPauses({ fromMs, untilMs, result }: IdentityLoss): number {
  const isThrottled = result === 'throttled';
  const maxMs = isThrottled ? limits.cooldownMaxMs : limits.unreachableMaxMs;
  const requestMs = isThrottled ? pageMs : connectTimeoutMs;
  let pauseMs = isThrottled ? limits.cooldownFirstMs : limits.unreachableFirstMs;
  let endMs = fromMs;
  while (endMs < untilMs) {
    endMs += requestMs + pauseMs;
    pauseMs = Math.min(maxMs, 2 * pauseMs);
  }
  return endMs;
}

/** From when to when no identity can read a page; null where one always can. */
function totalLoss({ identities, losses = [] }: Mix): { fromMs: number; untilMs: number } | null {
  if (new Set(losses.map(({ identity }) => identity)).size < identities) return null;
  return {
    fromMs: Math.max(...losses.map(({ fromMs }) => fromMs)),
    untilMs: Math.min(...losses.map(endOfPauses)),
  };
}

export function figuresOf(mix: Mix, { ended }: Pick<Played, 'ended'>): MixFigures {
  const complete = ended.filter((one) => one.complete).map(({ arrival }) => arrival);
  return {
    completed: complete.length,
    paidPages: complete.reduce((sum, { pages }) => sum + pages, 0),
    paidPagesMost: mostPages(mix),
    waitOverFair: totalLoss(mix) ? null : waitOverFair(mix, ended),
  };
}

const slotsPerMinute = ({ identities, deadIdentities, liveShare }: Mix) =>
  (identities - deadIdentities) * limits.requestsPerMinute * (1 - liveShare);

/**
 * Whole scans, largest number of pages, that fit before the last deadline: an upper bound. What has to
 * be read before all identities are lost fits into what they can read until then.
 */
function mostPages(mix: Mix): number {
  const readable = mix.arrivals.filter(({ appId }) => !mix.downApps.includes(appId));
  const lost = totalLoss(mix);
  const isLate = ({ atMs }: Arrival) => lost === null || atMs + queueMs > lost.untilMs;
  const late = readable.filter(isLate);
  const early = readable.filter((arrival) => !isLate(arrival));
  const lastMs = Math.max(0, ...mix.arrivals.map(({ atMs }) => atMs));
  const minutes = (lastMs + queueMs + collectMs) / 60_000 + limits.burst / limits.requestsPerMinute;
  const slots = Math.floor(slotsPerMinute(mix) * minutes);
  return mostOf(late, slots) + mostOf(early, lost ? pagesBy(lost.fromMs, early, mix) : 0);
}

/** Pages that could be read by this time if each were read as soon as it was requested. */
function pagesBy(timeMs: number, arrivals: readonly Arrival[], mix: Mix): number {
  const slotMs = 60_000 / slotsPerMinute(mix);
  let idleMs = 0;
  let busyUntilMs = 0;
  for (const { atMs, pages } of arrivals.toSorted((left, right) => left.atMs - right.atMs)) {
    if (atMs >= timeMs) break;
    idleMs += Math.max(0, atMs - busyUntilMs);
    busyUntilMs = Math.max(busyUntilMs, atMs) + pages * slotMs;
  }
  return Math.ceil((Math.min(timeMs, busyUntilMs) - idleMs) / slotMs);
}

/** The most pages of whole scans that are no more than these slots. */
function mostOf(arrivals: readonly Arrival[], slots: number): number {
  let reachable = new Uint8Array(slots + 1);
  reachable[0] = 1;
  for (const { pages } of arrivals) {
    const next = Uint8Array.from(reachable);
    for (let sum = 0; sum + pages <= slots; sum += 1) if (reachable[sum]) next[sum + pages] = 1;
    reachable = next;
  }
  return reachable.lastIndexOf(1);
}

/**
 * Accounts are round-robin at all slots that live pages leave, and an account reads its refreshes in the
 * order of their queue deadline: that gives each refresh the fair time of its end. One that did not
 * complete waits for ever.
 */
function waitOverFair(mix: Mix, ended: readonly Ended[]): number | null {
  const completedMs = new Map(
    ended.filter(({ complete }) => complete).map(({ arrival, endedMs }) => [arrival, endedMs]),
  );
  const accounts = Map.groupBy(mix.arrivals, ({ accountId }) => accountId);
  const turnMs = (accounts.size * 60_000) / slotsPerMinute(mix);
  const ratios: number[] = [];
  for (const arrivals of accounts.values()) {
    let fairEndMs = 0;
    for (const arrival of arrivals.toSorted((left, right) => left.atMs - right.atMs)) {
      fairEndMs = Math.max(fairEndMs, arrival.atMs) + arrival.pages * turnMs;
      const fairMs = fairEndMs - arrival.atMs;
      const waitMs = (completedMs.get(arrival) ?? Number.POSITIVE_INFINITY) - arrival.atMs;
      if (arrival.pages === 1 && !mix.downApps.includes(arrival.appId))
        ratios.push(waitMs / fairMs);
    }
  }
  ratios.sort((left, right) => left - right);
  return ratios[Math.floor(ratios.length * 0.95)] ?? null;
}
