import type { AssetIdStyle } from '../inventory/asset-ids.ts';
import type { Inventory } from '../inventory/inventory.ts';
import type { PageQuirk } from '../inventory/page-quirks.ts';
import type { Failure } from '../platform/failures.ts';

/** A failure in a scenario's plan. */
export type ScenarioFault = {
  readonly failure: Failure;
  /** The page it strikes, from 1; every page when absent. */
  readonly page?: number;
  /**
   * How it ends. A number: after so many failures in a row one request passes, and the plan starts
   * again. `silence`: the requesting identity must leave the account alone for the block time, then one
   * request passes. Absent: never.
   */
  readonly until?: number | 'silence';
  /** Once it struck, every request of the account gets it, until none came for a minute. */
  readonly stays?: boolean;
};

export type ScenarioDefinition = {
  /** Part of the account's platform id: never changes, never used twice. */
  readonly number: number;
  readonly name: string;
  readonly shows: string;
  readonly size: number;
  readonly appId?: number;
  readonly hidden?: number;
  readonly kindLimit?: number;
  readonly assetIdStyle?: AssetIdStyle;
  readonly amountStyle?: Inventory['amountStyle'];
  /** Assets of each page, whatever `count` requests. */
  readonly pageAssets?: number;
  readonly quirk?: PageQuirk;
  readonly faults?: readonly ScenarioFault[];
  /** What a new scan (a first page that was delivered) finds changed since the one before. */
  readonly eachScan?:
    | 'new_texts'
    | 'one_more_asset'
    /** The last asset of a first page of 2,000 is removed: the first time only, or every time. */
    | 'first_cursor_removed'
    | 'every_cursor_removed';
};

/** One account; ten ordinary assets where nothing else is said. */
export const scenario = (
  number: number,
  name: string,
  shows: string,
  of: Partial<ScenarioDefinition> = {},
): ScenarioDefinition => ({ number, name, shows, size: 10, ...of });
