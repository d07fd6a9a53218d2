import type { PriceBook } from '../prices/price-list.domain.ts';
import type { Entry } from './entry.domain.ts';

/** All that an evaluation depends on beside the account and its command. */
export interface EvaluationContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly prices: PriceBook;
  /**
   * The entry that answers a command key, as far as it is known here. The journal refuses a second
   * entry for a key, so what is not known here is found out before anything is written.
   */
  readonly recorded: (key: string) => Entry | undefined;
}
