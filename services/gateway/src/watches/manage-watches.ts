import type { WatchBody } from '@inventory/contracts/http/watches';
import { type AccountId, idPrefixes, type ProjectId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Pending } from '@inventory/work/work-queue';
import { firstRunTime, nextRunTime, type Watch } from './watch.domain.ts';
import type { WatchStore } from './watch-store.ts';

export interface ManageWatchesDeps {
  readonly watches: Pick<
    WatchStore,
    'findWatch' | 'findTurn' | 'insertWatch' | 'changeWatch' | 'deleteWatch'
  >;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly watchesMax: number;
  /** Of the saved inventory; null where there is none, or it cannot be read. */
  readonly savedAssets: (of: Pick<Watch, 'scope' | 'language'>) => Promise<number | null>;
}

export interface WantedWatch extends Omit<WatchBody, 'dry_run'> {
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly scope: InventoryKey;
}

export interface PutWatch {
  readonly watch: Watch;
  /** 201 where it is new. */
  readonly status: 200 | 201;
  /** False in a dry run of an inventory that is not watched. */
  readonly isStored: boolean;
}

/** A turn may end between the read and the write, once in a few minutes. */
const triesMax = 10;
/** Of a watch that is resumed by its owner. */
const resumedMs = 1_000;

/** Watches the inventory, or changes how; a dry run stores nothing. Throws `watch_limit_exceeded`. */
export async function putWatch(
  deps: ManageWatchesDeps,
  wanted: WantedWatch,
  isDryRun = false,
): Promise<PutWatch> {
  const { watches, watchesMax: limit } = deps;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { watch, read } = await plannedWatch(deps, wanted);
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

function limitExceeded(limit: number): Refused {
  return new Refused({
    code: 'watch_limit_exceeded',
    detail: { limit },
    retry_after_seconds: 60,
  });
}

/** The watch as it would be, and as it is; nothing is stored. */
async function plannedWatch(
  { watches, clock, identifiers, savedAssets }: ManageWatchesDeps,
  wanted: WantedWatch,
): Promise<{ readonly watch: Watch; readonly read: Pending<Watch> | null }> {
  const { projectId, accountId, scope, language } = wanted;
  const settings = {
    language,
    everySeconds: wanted.every_seconds,
    maxCreditsPerDay: wanted.max_credits_per_day,
  };
  const read = await watches.findTurn(projectId, scope);
  const isNew = read === null || read.item.recent.runs === 0;
  const assets = isNew ? await savedAssets({ scope, language }) : read.item.assets;
  const nowMs = clock.now();
  if (read === null) {
    const made: Watch = {
      id: `${idPrefixes.watch}${identifiers.uuidV7()}`,
      version: 1,
      accountId,
      projectId,
      scope,
      ...settings,
      createdAtMs: nowMs,
      nextRunAtMs: nowMs,
      pausedReason: null,
      run: null,
      denials: 0,
      assets,
      spent: { day: 0, credits: 0 },
      recent: { runs: 0, credits: 0 },
    };
    return { watch: { ...made, nextRunAtMs: firstRunTime(made) }, read };
  }
  const changed = { ...read.item, ...settings, assets, pausedReason: null };
  return { watch: { ...changed, nextRunAtMs: changedRunTime(read, changed, nowMs) }, read };
}

/**
 * Once its turn is claimed, a run may be under way under the id of its time: its time stays. Another one
 * moves with the period, to after the last run by any clock, and a watch that was paused is looked at
 * again at once.
 */
function changedRunTime({ item, tries }: Pending<Watch>, changed: Watch, nowMs: number): number {
  const { nextRunAtMs, run } = item;
  const sinceMs = Math.max(nowMs, run?.atMs ?? nowMs);
  if (tries > 0) return nextRunAtMs;
  if (item.pausedReason !== null) return Math.min(nextRunAtMs, sinceMs + resumedMs);
  if (item.everySeconds === changed.everySeconds) return nextRunAtMs;
  return Math.min(nextRunAtMs, nextRunTime(changed, sinceMs));
}
