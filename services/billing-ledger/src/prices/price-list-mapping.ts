import type { PriceList as PriceListView } from '@inventory/contracts/internal/ledger';
import { fromIsoTime, isoTime } from '@inventory/runtime/clock';
import type { PriceList } from './price-list.domain.ts';

export function toPriceListView(list: PriceList): PriceListView {
  return {
    version: list.version,
    effective_at: isoTime(list.effectiveAtMs),
    refresh_reservation: list.refreshReservation,
    refresh_block: list.refreshBlock,
    refresh_block_assets: list.refreshBlockAssets,
    refresh_diagnostic: list.refreshDiagnostic,
    watch_changed_block: list.watchChangedBlock,
    watch_unchanged_block: list.watchUnchangedBlock,
    live_page: list.livePage,
    current_page: list.currentPage,
  };
}

export function fromPriceListView(view: PriceListView): PriceList {
  return {
    version: view.version,
    effectiveAtMs: fromIsoTime(view.effective_at),
    refreshReservation: view.refresh_reservation,
    refreshBlock: view.refresh_block,
    refreshBlockAssets: view.refresh_block_assets,
    refreshDiagnostic: view.refresh_diagnostic,
    watchChangedBlock: view.watch_changed_block,
    watchUnchangedBlock: view.watch_unchanged_block,
    livePage: view.live_page,
    currentPage: view.current_page,
  };
}
