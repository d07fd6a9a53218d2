import { watchView } from '@inventory/contracts/http/watches';
import { accountId, credentialId, projectId, refreshId, watchId } from '@inventory/contracts/ids';
import {
  type RefreshOutcome,
  refreshOutcome,
  type WatchPauseReason,
} from '@inventory/contracts/vocabulary';
import { z } from 'zod';

/** The last run of a watch. */
const lastRun = z.object({
  refreshId,
  atMs: z.number(),
  /** False once its end is recorded. */
  isOpen: z.boolean(),
  /** Null while it is open, and where its refresh was never made. */
  outcome: refreshOutcome.nullable(),
});

const shown = {
  scope: true,
  language: true,
  everySeconds: true,
  maxCreditsPerDay: true,
  pausedReason: true,
} as const;

/** One watch: what its customer sees of it, and what its claims made of it. */
export const watch = watchView.out.pick(shown).extend({
  watchId,
  version: z.int(),
  accountId,
  projectId,
  /** The Credential that put it last: its runs count against its spend cap. Null from an earlier version. */
  credentialId: credentialId.nullable().default(null),
  /** Until an operator resumes it, whatever its customer puts. */
  isPausedByOperator: z.boolean().default(false),
  createdAtMs: z.number(),
  /** The id of the next run follows from it: it changes only once that run can no longer be made. */
  nextRefreshAtMs: z.number(),
  run: lastRun.nullable(),
  /** Runs in a row that were private or not found. */
  denials: z.int(),
  /** Of the saved inventory, as it was found when the watch was put; null where none was. */
  assets: z.int().nullable(),
  /** What runs cost that ended on this UTC day. */
  spent: z.object({ day: z.int(), credits: z.int() }),
  /** Of the last runs that were settled. */
  recent: z.object({ runs: z.number(), credits: z.int() }),
});
export type Watch = z.infer<typeof watch>;

/** How a run ended, as its refresh states it. */
export interface EndedRun {
  readonly outcome: RefreshOutcome;
  readonly charged: number;
  readonly completedAtMs: number;
}

const dayMs = 86_400_000;
const recentMax = 32;
/** A paused watch checks its reason so often, where its runs are rarer. */
const pausedPeriodMs = 900_000;
/** Share of a period within which its run is. */
const jitterShare = 0.1;

export const utcDayOf = (timeMs: number): number => Math.floor(timeMs / dayMs);

/**
 * The first time of a run after this one. Each period has one time, at a phase of the watch and up to
 * a tenth of the period later: many watches that are made together are spread, and stay so.
 */
export function runTimeAfter(watch: Watch, afterMs: number): number {
  const periodMs = watch.everySeconds * 1_000;
  const startMs = watch.createdAtMs + Math.floor(shareOf(watch.watchId) * periodMs);
  const timeOf = (period: number) =>
    startMs +
    period * periodMs +
    Math.floor(shareOf(`${watch.watchId} ${period}`) * jitterShare * periodMs);
  let period = Math.max(0, Math.floor((afterMs - startMs) / periodMs));
  while (timeOf(period) <= afterMs) period += 1;
  return timeOf(period);
}

/** The run after the one of this time: never another one within the tenth of a period. */
export function nextRunTime(watch: Watch, nowMs: number): number {
  return runTimeAfter(watch, nowMs + jitterShare * watch.everySeconds * 1_000);
}

/** A new watch is due soon; many of them within the shortest period. */
export function firstRunTime(watch: Watch): number {
  return watch.createdAtMs + Math.floor(shareOf(`first ${watch.watchId}`) * 300_000);
}

/** From this time on it may run again: what is private or not found backs off to a day. */
export function backedOffUntil({ denials, run, everySeconds }: Watch): number {
  if (denials === 0 || run === null) return Number.NEGATIVE_INFINITY;
  const periodMs = everySeconds * 1_000;
  const pauseMs = Math.max(periodMs, Math.min(dayMs, periodMs * 2 ** Math.min(denials, 30)));
  // The run of the period in which it ends, rather than that of the next one.
  return run.atMs + pauseMs - jitterShare * periodMs;
}

/** Why it has no runs, as it is shown: a pause by an operator is recorded by its next claim. */
export function shownPause({ isPausedByOperator, pausedReason }: Watch): WatchPauseReason | null {
  return isPausedByOperator ? 'operator_paused' : pausedReason;
}

/** When a watch that is paused now checks its reason again. */
export function pausedUntil(watch: Watch, reason: WatchPauseReason, nowMs: number): number {
  if (reason === 'daily_limit_reached') return runTimeAfter(watch, (utcDayOf(nowMs) + 1) * dayMs);
  return nextCheckTime(watch, nowMs);
}

/** A paused watch is checked more often than it may have runs, so that it resumes soon. */
export function nextCheckTime(watch: Watch, nowMs: number): number {
  const periodMs = Math.min(pausedPeriodMs, watch.everySeconds * 1_000);
  return nowMs + Math.floor(periodMs * (0.5 + shareOf(`${watch.watchId} ${nowMs}`) / 2));
}

/** Whether a run may hold so much today: what is charged never exceeds what is held. */
export function fitsDailyLimit(
  { maxCreditsPerDay, spent }: Watch,
  held: number,
  nowMs: number,
): boolean {
  if (maxCreditsPerDay === null) return true;
  const today = spent.day === utcDayOf(nowMs) ? spent.credits : 0;
  return today + held <= maxCreditsPerDay;
}

/** The end of its last run; null where its refresh was never made. */
export function recordEnd(watch: Watch, ended: EndedRun | null): Watch {
  const { run } = watch;
  if (run === null || !run.isOpen) return watch;
  if (ended === null) return { ...watch, run: { ...run, isOpen: false } };
  const { outcome, charged, completedAtMs } = ended;
  const isDenied = outcome === 'private' || outcome === 'not_found';
  const isComplete = outcome === 'complete_changed' || outcome === 'complete_unchanged';
  return {
    ...watch,
    run: { ...run, isOpen: false, outcome },
    denials: isDenied ? watch.denials + 1 : isComplete ? 0 : watch.denials,
    spent: spentWith(watch.spent, charged, utcDayOf(completedAtMs)),
    recent: withRecent(watch.recent, charged),
  };
}

function spentWith(spent: Watch['spent'], charged: number, day: number): Watch['spent'] {
  if (day < spent.day) return spent;
  return { day, credits: (day === spent.day ? spent.credits : 0) + charged };
}

function withRecent({ runs, credits }: Watch['recent'], charged: number): Watch['recent'] {
  if (runs < recentMax) return { runs: runs + 1, credits: credits + charged };
  // What is older counts half.
  return { runs: runs / 2 + 1, credits: Math.round(credits / 2) + charged };
}

export interface RunCosts {
  /** The most that one run costs. */
  readonly reservation: number;
  /** Of one run, where none was settled yet. */
  readonly estimate: number;
}

/** Of 30 days, at what its last runs cost. */
export function expectedCreditsPerMonth(watch: Watch, { estimate }: RunCosts): number {
  const { recent, everySeconds, maxCreditsPerDay } = watch;
  const perRun = recent.runs === 0 ? estimate : recent.credits / recent.runs;
  const expected = Math.round(((30 * dayMs) / (everySeconds * 1_000)) * perRun);
  return maxCreditsPerDay === null ? expected : Math.min(expected, 30 * maxCreditsPerDay);
}

/** Of 31 days: every run at its hold, or the daily limit of each day. */
export function maximumCreditsPerMonth(watch: Watch, { reservation }: RunCosts): number {
  const { everySeconds, maxCreditsPerDay } = watch;
  // The first run of a new watch is beside those of its periods.
  const runs = Math.ceil((31 * dayMs) / (everySeconds * 1_000)) + 2;
  const most = runs * reservation;
  return maxCreditsPerDay === null ? most : Math.min(most, 32 * maxCreditsPerDay);
}

export interface RunPrices {
  readonly changedBlock: number;
  readonly changedBlockAssets: number;
  readonly unchangedBlock: number;
  readonly unchangedBlockAssets: number;
}

/** One run in five finds a change, of an inventory of this size. */
export function estimatedRunCost(prices: RunPrices, assets: number): number {
  const changed = Math.ceil(assets / prices.changedBlockAssets) * prices.changedBlock;
  const unchanged = Math.ceil(assets / prices.unchangedBlockAssets) * prices.unchangedBlock;
  return 0.2 * changed + 0.8 * unchanged;
}

/** In [0, 1), the same for the same text (FNV-1a, and its bits spread). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
