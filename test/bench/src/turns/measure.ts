import type { Mix } from './mix.ts';
import { collectMs, limits, type Played, queueMs } from './simulate.ts';

/** What a mix came to, against what its slots, deadlines and requests allow at most. */
export interface MixFigures {
  readonly completed: number;
  readonly paidPages: number;
  /** Most pages of complete scans, had all sizes been known beforehand. */
  readonly paidPagesMost: number;
  /** Part of the scans' slots spent on scans that did not complete. */
  readonly wasted: number;
  /** Of one-page refreshes, the 95th percentile of their wait over their fair share; 0 without any. */
  readonly waitOverFair: number;
}

export function figuresOf(mix: Mix, played: Played): MixFigures {
  const complete = played.ended.filter((one) => one.complete);
  const paidPages = complete.reduce((sum, { pagesRead }) => sum + pagesRead, 0);
  const wastedPages = played.scanSlots - paidPages;
  return {
    completed: complete.length,
    paidPages,
    paidPagesMost: mostPages(mix),
    wasted: played.scanSlots === 0 ? 0 : wastedPages / played.scanSlots,
    waitOverFair: waitOverFair(mix, played),
  };
}

const healthyPerMinute = ({ identities, deadIdentities }: Mix) =>
  (identities - deadIdentities) * limits.requestsPerMinute;

/** Whole scans, largest number of pages, that fit before the last deadline: an upper bound. */
function mostPages(mix: Mix): number {
  const minutes = (queueMs + collectMs) / 60_000;
  const burst = (mix.identities - mix.deadIdentities) * limits.burst;
  const slots = Math.floor((healthyPerMinute(mix) * minutes + burst) * (1 - mix.liveShare));
  const sizes = mix.arrivals
    .filter(({ appId }) => !mix.downApps.includes(appId))
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

/** Its fair share: the accounts take turns at all slots that live pages leave. */
function waitOverFair(mix: Mix, { ended }: Played): number {
  const accounts = new Set(mix.arrivals.map(({ accountId }) => accountId)).size;
  const perMinute = healthyPerMinute(mix) * (1 - mix.liveShare);
  const small = ended.filter(({ arrival }) => arrival.pages === 1);
  if (small.length === 0) return 0;
  const waits = Map.groupBy(small, ({ arrival }) => arrival.accountId);
  const ratios = [...waits.values()].flatMap((of) =>
    of
      .map(({ endedMs, arrival }) => endedMs - arrival.atMs)
      .toSorted((left, right) => left - right)
      .map((waitMs, index) => waitMs / (((index + 1) * accounts * 60_000) / perMinute)),
  );
  const sorted = ratios.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}
