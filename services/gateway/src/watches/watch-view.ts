import type { WatchView } from '@inventory/contracts/http/watches';
import type { PriceList } from '@inventory/contracts/internal/ledger';
import { unchangedBlocks } from '@inventory/contracts/vocabulary';
import { isoTime } from '@inventory/runtime/clock';
import type { RevisionStoreClient } from '../pages/revision-store-client.ts';
import { withEndOfRun } from './run-watch.ts';
import {
  estimatedRunCost,
  expectedCreditsPerMonth,
  maximumCreditsPerMonth,
  type RunCosts,
  type Watch,
} from './watch.domain.ts';
import type { WatchRoutesDeps } from './watch-operation.ts';

/** The watch as it is, with the end of its last run; where none was settled, by the size it has. */
export async function watchView(
  deps: Pick<WatchRoutesDeps, 'collector' | 'revisions' | 'prices'>,
  watch: Watch,
): Promise<WatchView> {
  // What cannot be read now is shown as it is stored.
  const known = await withEndOfRun(deps.collector, watch).catch(() => watch);
  const isNew = known.recent.runs === 0;
  const assets = isNew ? await savedAssets(deps.revisions, known) : null;
  return toWireWatch(known, runCosts(await deps.prices.readPrices(), assets));
}

/** Of the saved revision; null where there is none, or it cannot be read. */
async function savedAssets(
  revisions: RevisionStoreClient,
  { scope, language }: Watch,
): Promise<number | null> {
  const first = { scope, language, pageSize: 1, descriptions: 'none', coding: null } as const;
  const wanted = { ...first, assetIds: [], from: null };
  const page = await revisions.findPage(wanted).catch(() => null);
  return page?.meta.total_count ?? null;
}

/** `assets` of the saved inventory, where that is known; else one block is estimated. */
export function runCosts(prices: PriceList, assets: number | null): RunCosts {
  const size = prices.refresh_block_assets;
  const blocks = {
    changedBlock: prices.watch_changed_block,
    changedBlockAssets: size,
    unchangedBlock: prices.watch_unchanged_block,
    unchangedBlockAssets: unchangedBlocks * size,
  };
  const estimate = estimatedRunCost(blocks, assets ?? size);
  const reservation = prices.refresh_reservation;
  return { reservation, estimate: Math.min(estimate, reservation) };
}

export function toWireWatch(watch: Watch, costs: RunCosts): WatchView {
  const { run, pausedReason } = watch;
  return {
    watch_id: watch.id,
    scope: watch.scope,
    every_seconds: watch.everySeconds,
    language: watch.language,
    max_credits_per_day: watch.maxCreditsPerDay,
    state: pausedReason === null ? 'active' : 'paused',
    paused_reason: pausedReason,
    next_refresh_at: isoTime(watch.nextRunAtMs),
    last_refresh_id: run?.refreshId ?? null,
    last_outcome: run?.outcome ?? null,
    expected_credits_per_month: expectedCreditsPerMonth(watch, costs),
    maximum_credits_per_month: maximumCreditsPerMonth(watch, costs),
  };
}
