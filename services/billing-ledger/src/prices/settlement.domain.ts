import type { PriceList } from '@inventory/contracts/messages/price-list';
import {
  type HeldProduct,
  type RefreshOutcome,
  type SettlementDisposition,
  unchangedBlocks,
} from '@inventory/contracts/vocabulary';

/** Of a hold: a refresh that is served from what is saved has none. */
type HoldDisposition = Exclude<SettlementDisposition, 'finalize_saved'>;

/** How an outcome is paid for. */
const dispositions: Readonly<Record<RefreshOutcome, HoldDisposition>> = {
  complete_changed: 'finalize_complete',
  complete_unchanged: 'finalize_complete',
  private: 'finalize_diagnostic',
  not_found: 'finalize_diagnostic',
  upstream_unavailable: 'release',
  incomplete: 'release',
  cancelled: 'release',
  internal_failure: 'release',
};

export interface Settlement {
  readonly disposition: SettlementDisposition;
  /** Together exactly what was reserved. */
  readonly charged: number;
  readonly released: number;
}

export interface SettlementInput {
  readonly reserved: number;
  /** The list the hold was made under. */
  readonly prices: PriceList;
  readonly product: HeldProduct;
  readonly outcome: RefreshOutcome;
  /** Assets after deduplication; only a complete scan has it. */
  readonly observedAssets: number | null;
}

/** The price of a terminal refresh: never more than its reservation. */
export function settlementOf(input: SettlementInput): Settlement {
  const disposition = dispositions[input.outcome];
  const charged = Math.min(input.reserved, priceOf(disposition, input));
  return { disposition, charged, released: input.reserved - charged };
}

function priceOf(disposition: HoldDisposition, input: SettlementInput): number {
  const { prices, product, outcome, observedAssets } = input;
  switch (disposition) {
    case 'finalize_complete':
      if (observedAssets === null) throw new RangeError('a complete scan has a count of assets');
      return product === 'platform.inventory.watch.v1'
        ? watchPrice(prices, outcome, observedAssets)
        : Math.ceil(observedAssets / prices.refreshBlockAssets) * prices.refreshBlock;
    case 'finalize_diagnostic':
      return prices.refreshDiagnostic;
    case 'release':
      return 0;
  }
}

/** A run of a watch that finds no change costs less than one that does. */
function watchPrice(prices: PriceList, outcome: RefreshOutcome, observedAssets: number): number {
  const { refreshBlockAssets, watchChangedBlock, watchUnchangedBlock } = prices;
  return outcome === 'complete_changed'
    ? Math.ceil(observedAssets / refreshBlockAssets) * watchChangedBlock
    : Math.ceil(observedAssets / (unchangedBlocks * refreshBlockAssets)) * watchUnchangedBlock;
}
