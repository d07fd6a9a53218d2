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

export function watchViewOf(watch: Watch, prices: PriceList): WatchView {
  const costs = runCosts(prices, watch.assets);
  return {
    ...watch,
    state: watch.pausedReason === null ? 'active' : 'paused',
    lastRefreshId: watch.run?.refreshId ?? null,
    lastOutcome: watch.run?.outcome ?? null,
    expectedCreditsPerMonth: expectedCreditsPerMonth(watch, costs),
    maximumCreditsPerMonth: maximumCreditsPerMonth(watch, costs),
  };
}
