import type { Arrival, IdentityLoss, Mix } from './mix.ts';
import { collectMs, type Ended, type Played, queueMs } from './simulate.ts';
import { limits } from './simulated-egress.ts';

/** What a mix came to, against what its slots, deadlines and requests allow at most. */
export interface MixFigures {
  readonly completed: number;
  readonly paidPages: number;
  /** Most pages of complete scans, had all sizes been known beforehand. */
  readonly paidPagesMost: number;
  /** Whether that is every page requested. */
  readonly allCould: boolean;
  /** Part of the scans' slots spent on scans that did not complete. */
  readonly wasted: number;
  /**
   * Of one-page refreshes, the 95th percentile of their wait over their fair share; null without such
   * refreshes, and where all wait for the identities.
   */
  readonly waitOverFair: number | null;
}

/** The end of the first pause of an identity that ends after its loss. */
function endOfPauses({ fromMs, untilMs, result }: IdentityLoss): number {
  const isThrottled = result === 'throttled';
  const maxMs = isThrottled ? limits.silenceMaxMs : limits.unreachableMaxMs;
  let pauseMs = isThrottled ? limits.silenceFirstMs : limits.unreachableFirstMs;
  let endMs = fromMs;
  while (endMs < untilMs) {
    endMs += pauseMs;
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

/** Whether a scan of it can start before its queue deadline while an identity serves. */
function isReadable(mix: Mix, { atMs, appId }: Arrival): boolean {
  if (mix.downApps.includes(appId)) return false;
  const lost = totalLoss(mix);
  return !lost || atMs < lost.fromMs || atMs + queueMs > lost.untilMs;
}

export function figuresOf(mix: Mix, { ended, scanSlots }: Played): MixFigures {
  const complete = ended.filter((one) => one.complete).map(({ arrival }) => arrival);
  const paidPages = pagesOf(complete);
  const paidPagesMost = mostPages(mix);
  return {
    completed: complete.length,
    paidPages,
    paidPagesMost,
    allCould: paidPagesMost === pagesOf(mix.arrivals),
    wasted: scanSlots === 0 ? 0 : (scanSlots - paidPages) / scanSlots,
    waitOverFair: totalLoss(mix) ? null : waitOverFair(mix, ended),
  };
}

const pagesOf = (items: readonly { readonly pages: number }[]) =>
  items.reduce((sum, { pages }) => sum + pages, 0);

const slotsPerMinute = ({ identities, deadIdentities, liveShare }: Mix) =>
  (identities - deadIdentities) * limits.requestsPerMinute * (1 - liveShare);

/** Whole scans, largest number of pages, that fit before the last deadline: an upper bound. */
function mostPages(mix: Mix): number {
  const lastMs = Math.max(0, ...mix.arrivals.map(({ atMs }) => atMs));
  const minutes = (lastMs + queueMs + collectMs) / 60_000 + limits.burst / limits.requestsPerMinute;
  const slots = Math.floor(slotsPerMinute(mix) * minutes);
  const sizes = mix.arrivals
    .filter((arrival) => isReadable(mix, arrival))
    .map(({ pages }) => pages);
  let reachable = new Uint8Array(slots + 1);
  reachable[0] = 1;
  for (const pages of sizes) {
    const next = Uint8Array.from(reachable);
    for (let sum = 0; sum + pages <= slots; sum += 1) if (reachable[sum]) next[sum + pages] = 1;
    reachable = next;
  }
  return reachable.lastIndexOf(1);
}

/**
 * Accounts take turns at all slots that live pages leave, and an account reads its refreshes in the
 * order of their queue deadline: that gives each refresh the fair time of its end. One that did not
 * complete waits for ever.
 */
function waitOverFair(mix: Mix, ended: readonly Ended[]): number | null {
  const completedMs = new Map(
    ended.filter(({ complete }) => complete).map(({ arrival, endedMs }) => [arrival, endedMs]),
  );
  const accounts = Map.groupBy(mix.arrivals, ({ accountId }) => accountId);
  const pageMs = (accounts.size * 60_000) / slotsPerMinute(mix);
  const ratios: number[] = [];
  for (const arrivals of accounts.values()) {
    let fairEndMs = 0;
    for (const arrival of arrivals.toSorted((left, right) => left.atMs - right.atMs)) {
      fairEndMs = Math.max(fairEndMs, arrival.atMs) + arrival.pages * pageMs;
      const fairMs = fairEndMs - arrival.atMs;
      const waitMs = (completedMs.get(arrival) ?? Number.POSITIVE_INFINITY) - arrival.atMs;
      if (arrival.pages === 1 && !mix.downApps.includes(arrival.appId))
        ratios.push(waitMs / fairMs);
    }
  }
  ratios.sort((left, right) => left - right);
  return ratios[Math.floor(ratios.length * 0.95)] ?? null;
}
