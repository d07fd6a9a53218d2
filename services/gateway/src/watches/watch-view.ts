import type { WatchView } from '@inventory/contracts/http/watches';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import { unchangedBlocks } from '@inventory/contracts/vocabulary';
import type { WatchServices } from './open-watches.ts';
import { withEndOfRun } from './run-watch.ts';
import {
  estimatedRunCost,
  expectedCreditsPerMonth,
  maximumCreditsPerMonth,
  type RunCosts,
  shownPause,
  type Watch,
} from './watch.domain.ts';

/** The watch as it is, with the end of its last run. */
export async function readView(
  { collector, prices }: WatchServices,
  watch: Watch,
): Promise<WatchView> {
  // What cannot be read now is shown as it is stored.
  const known = await withEndOfRun(collector, watch).catch(() => null);
  return watchViewOf(known ?? watch, await prices.readPrices());
}

/** One block is estimated where the size of the inventory is not known. */
function runCosts(prices: PriceList, assets: number | null): RunCosts {
  const size = prices.refreshBlockAssets;
  const blocks = {
    changedBlock: prices.watchChangedBlock,
    changedBlockAssets: size,
    unchangedBlock: prices.watchUnchangedBlock,
    unchangedBlockAssets: unchangedBlocks * size,
  };
  const estimate = estimatedRunCost(blocks, assets ?? size);
  const reservation = prices.refreshReservation;
  return { reservation, estimate: Math.min(estimate, reservation) };
}

/** What is shown of a watch to its customer and to operators. */
export function watchRecordOf(watch: Watch) {
  const pausedReason = shownPause(watch);
  return {
    ...watch,
    pausedReason,
    state: pausedReason === null ? ('active' as const) : ('paused' as const),
    lastRefreshId: watch.run?.refreshId ?? null,
    lastOutcome: watch.run?.outcome ?? null,
  };
}

export function watchViewOf(watch: Watch, prices: PriceList): WatchView {
  const costs = runCosts(prices, watch.assets);
  return {
    ...watchRecordOf(watch),
    expectedCreditsPerMonth: expectedCreditsPerMonth(watch, costs),
    maximumCreditsPerMonth: maximumCreditsPerMonth(watch, costs),
  };
}
