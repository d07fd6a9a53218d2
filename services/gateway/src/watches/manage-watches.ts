import { idPrefixes } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Pending } from '@inventory/work/work-queue';
import type { WatchServices } from './open-watches.ts';
import { withEndOfRun } from './run-watch.ts';
import { firstRunTime, nextRunTime, type Watch } from './watch.domain.ts';

/** What a customer decides of a watch. */
export type WantedWatch = Pick<
  Watch,
  | 'accountId'
  | 'projectId'
  | 'credentialId'
  | 'scope'
  | 'language'
  | 'everySeconds'
  | 'maxCreditsPerDay'
>;

export interface PutWatch {
  readonly watch: Watch;
  /** 201 where it is new. */
  readonly status: 200 | 201;
  /** False in a dry run of an inventory that is not watched. */
  readonly isStored: boolean;
}

/** A claim may be settled between the read and the write, once in a few minutes. */
const triesMax = 10;
/** Until the claim of a watch that is resumed, or paused by an operator. */
const resumedMs = 1_000;

/** Watches the inventory, or changes how; a dry run stores nothing. Throws `watch_limit_exceeded`. */
export async function putWatch(
  services: WatchServices,
  wanted: WantedWatch,
  isDryRun = false,
): Promise<PutWatch> {
  const { watches, watchesMax: limit } = services;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { watch, read } = await plannedWatch(services, wanted);
    if (isDryRun) return { watch, status: 200, isStored: read !== null };
    if (read !== null) {
      if (await watches.changeWatch(read, watch)) return { watch, status: 200, isStored: true };
      continue;
    }
    const inserted = await watches.insertWatch(watch, limit);
    // Another request may have taken the last slot for the same inventory.
    if (inserted === 'full' && (await watches.findWatch(wanted.projectId, wanted.scope)) === null)
      throw limitExceeded(limit);
    if (inserted === 'inserted') return { watch, status: 201, isStored: true };
  }
  throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
}

/**
 * Pauses or resumes a watch for an operator. Its next claim, a moment later, records a pause with its
 * event, as any other. Throws `watch_not_found`.
 */
export function setOperatorPause(
  services: ChangeServices,
  which: WatchOf,
  isPausedByOperator: boolean,
): Promise<Watch> {
  return change(services, which, async (read) => {
    const { item } = read;
    if (item.isPausedByOperator === isPausedByOperator) return item;
    const isOwn = item.pausedReason === 'operator_paused';
    const pausedReason = isOwn ? null : item.pausedReason;
    const nextRefreshAtMs = soonTime(read, services.clock.now());
    return { ...item, isPausedByOperator, pausedReason, nextRefreshAtMs };
  });
}

/**
 * Moves its next run to now, however often it was private or not found; the end of the last run is
 * recorded before, or it would count. Throws `watch_not_found`.
 */
export function runSoon(
  services: ChangeServices & Pick<WatchServices, 'collector'>,
  which: WatchOf,
): Promise<Watch> {
  return change(services, which, async (read) => {
    // It is running now.
    if (read.tries > 0) return read.item;
    const ended = (await withEndOfRun(services.collector, read.item)) ?? read.item;
    const nextRefreshAtMs = soonTime(read, services.clock.now());
    return { ...ended, denials: 0, nextRefreshAtMs };
  });
}

type ChangeServices = Pick<WatchServices, 'watches' | 'clock'>;
type WatchOf = Pick<Watch, 'projectId' | 'scope'>;

async function change(
  { watches }: ChangeServices,
  { projectId, scope }: WatchOf,
  changed: (read: Pending<Watch>) => Promise<Watch>,
): Promise<Watch> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const read = await watches.findPending(projectId, scope);
    if (read === null) throw new Refused({ code: 'watch_not_found' });
    const next = await changed(read);
    if (next === read.item || (await watches.changeWatch(read, next))) return next;
  }
  throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
}

/** A moment later, by any clock after its last run; a time under which a run may be under way stays. */
function soonTime(
  { item: { nextRefreshAtMs, run }, tries }: Pending<Watch>,
  nowMs: number,
): number {
  if (tries > 0) return nextRefreshAtMs;
  return Math.min(nextRefreshAtMs, Math.max(nowMs, run?.atMs ?? nowMs) + resumedMs);
}

function limitExceeded(limit: number): Refused {
  return new Refused({
    code: 'watch_limit_exceeded',
    detail: { limit },
    retry_after_seconds: 60,
  });
}

/** The watch as it would be, and as it is; nothing is stored. */
async function plannedWatch(
  { watches, clock, identifiers, savedAssets }: WatchServices,
  wanted: WantedWatch,
): Promise<{ readonly watch: Watch; readonly read: Pending<Watch> | null }> {
  const read = await watches.findPending(wanted.projectId, wanted.scope);
  const isNew = read === null || read.item.recent.runs === 0;
  const assets = isNew ? await savedAssets(wanted.scope, wanted.language) : read.item.assets;
  const nowMs = clock.now();
  if (read === null) {
    const made: Watch = {
      ...wanted,
      watchId: `${idPrefixes.watch}${identifiers.uuidV7()}`,
      version: 1,
      createdAtMs: nowMs,
      nextRefreshAtMs: nowMs,
      isPausedByOperator: false,
      pausedReason: null,
      run: null,
      denials: 0,
      assets,
      spent: { day: 0, credits: 0 },
      recent: { runs: 0, credits: 0 },
    };
    return { watch: { ...made, nextRefreshAtMs: firstRunTime(made) }, read };
  }
  const { isPausedByOperator, pausedReason: before } = read.item;
  const pausedReason = isPausedByOperator ? before : null;
  const changed = { ...read.item, ...wanted, assets, pausedReason };
  return { watch: { ...changed, nextRefreshAtMs: changedRunTime(read, changed, nowMs) }, read };
}

/**
 * Once it is claimed, a run may be under way under the id of its time: its time stays. Another one
 * moves with the period, to after the last run by any clock, and a watch that was paused is checked
 * at once.
 */
function changedRunTime(read: Pending<Watch>, changed: Watch, nowMs: number): number {
  const { item } = read;
  const { nextRefreshAtMs, run } = item;
  const sinceMs = Math.max(nowMs, run?.atMs ?? nowMs);
  if (read.tries > 0) return nextRefreshAtMs;
  if (item.pausedReason !== null) return soonTime(read, nowMs);
  if (item.everySeconds === changed.everySeconds) return nextRefreshAtMs;
  return Math.min(nextRefreshAtMs, nextRunTime(changed, sinceMs));
}
