import type { WatchView } from '@inventory/contracts/http/watches';
import type { PriceList } from '@inventory/contracts/internal/ledger';
import { unchangedBlocks } from '@inventory/contracts/vocabulary';
import { isoTime } from '@inventory/runtime/clock';
import type { WatchServices } from './open-watches.ts';
import { withEndOfRun } from './run-watch.ts';
import {
  estimatedRunCost,
  expectedCreditsPerMonth,
  maximumCreditsPerMonth,
  type RunCosts,
  type Watch,
} from './watch.domain.ts';

/** The watch as it is, with the end of its last run. */
export async function watchView(
  { collector, prices }: WatchServices,
  watch: Watch,
): Promise<WatchView> {
  // What cannot be read now is shown as it is stored.
  const known = await withEndOfRun(collector, watch).catch(() => null);
  return toWireWatch(known ?? watch, await prices.readPrices());
}

/** One block is estimated where the size of the inventory is not known. */
function runCosts(prices: PriceList, assets: number | null): RunCosts {
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

export function toWireWatch(watch: Watch, prices: PriceList): WatchView {
  const costs = runCosts(prices, watch.assets);
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
