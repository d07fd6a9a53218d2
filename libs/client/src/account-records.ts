import type { Open, Pagination } from './records.ts';

/** Whole credits or units: total = held + available. */
export interface Amounts {
  readonly total: number;
  readonly held: number;
  readonly available: number;
}

/** How an account pays; units expire at the end of their period. */
export type Funding =
  | { readonly mode: 'credits' }
  | {
      readonly mode: 'subscription';
      readonly units_per_month: number;
      readonly period: { readonly starts_at: string; readonly ends_at: string };
      readonly units: Amounts;
    };

export interface SpendCap {
  readonly project_id: string;
  readonly cap: number;
  readonly spent: number;
  readonly resets_at: string;
}

/** The account of the Credential that asks. */
export interface Account {
  readonly account_id: string;
  /** Prepaid credits. */
  readonly balance: Amounts;
  readonly funding: Funding;
  readonly rate_limit: { readonly limit_per_minute: number };
  readonly events_enabled: boolean;
  readonly credential: {
    readonly credential_id: string;
    readonly project_id: string;
    readonly scopes: readonly string[];
    readonly expires_at: string | null;
  };
  /** For Credentials with `customer.account.read.v1` only, as is the next one. */
  readonly spend_caps?: readonly SpendCap[] | undefined;
  readonly balance_alert?: { readonly threshold: number } | null | undefined;
}

interface PagePrice {
  readonly product_code: string;
  readonly page: number;
}

/** The price list in force, in credits; units cost the same numbers. */
export interface PriceList {
  readonly price_version: number;
  readonly effective_at: string;
  readonly refresh: {
    readonly product_code: string;
    /** Held at acceptance. */
    readonly reservation: number;
    /** For each started block of `block_assets` assets. */
    readonly block: number;
    readonly block_assets: number;
    /** For a confirmed private or unknown inventory. */
    readonly diagnostic: number;
  };
  readonly live_page: PagePrice;
  readonly current_page: PagePrice;
}

type LedgerAsset = Open<'credits' | 'units'>;

/** One entry of the account, oldest first. */
export interface StatementRow {
  readonly entry_id: string;
  readonly at: string;
  readonly kind: string;
  readonly asset: LedgerAsset;
  readonly change_available: number;
  readonly change_held: number;
  readonly available_after: number;
  readonly held_after: number;
  readonly product_code: string | null;
  readonly price_version: number | null;
  readonly project_id: string | null;
  readonly refresh_id: string | null;
  readonly request_id: string | null;
  readonly reason: string | null;
}

export interface StatementPage {
  readonly items: readonly StatementRow[];
  readonly pagination: Pagination;
}

/** What one Project used of one product on one UTC day. */
export interface UsageRow {
  readonly day: string;
  readonly project_id: string;
  readonly product_code: string;
  readonly asset: LedgerAsset;
  readonly count: number;
  readonly charged: number;
  readonly reversed: number;
}

export interface Usage {
  readonly from: string;
  readonly to: string;
  readonly items: readonly UsageRow[];
}
