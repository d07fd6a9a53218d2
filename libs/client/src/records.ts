/**
 * What the service answers, with the names it has on the wire. Fields and values of enums may be
 * added within a version: what is not known here passes through.
 */

import type { ApiError } from './errors.ts';

/** One of the known values, or one that was added since. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** One inventory. */
export interface Scope {
  /** 17 digits. */
  readonly platform_id: string;
  readonly app_id: number;
  readonly context_id: number;
}

export type RefreshState = Open<'accepted' | 'queued' | 'collecting' | 'settling' | 'completed'>;

export type RefreshOutcome = Open<
  | 'complete_changed'
  | 'complete_unchanged'
  | 'private'
  | 'not_found'
  | 'upstream_unavailable'
  | 'incomplete'
  | 'cancelled'
  | 'internal_failure'
>;

export type BillingState = Open<'reserved' | 'pending' | 'finalized'>;
export type SettlementDisposition = Open<'finalize_complete' | 'finalize_diagnostic' | 'release'>;
export type BillingDisposition = Open<'reserved' | 'charged' | 'not_charged' | 'allowance_used'>;

/** Whole credits, or units of a subscription; charged and released are null until finalized. */
export interface RefreshBilling {
  readonly state: BillingState;
  readonly disposition: SettlementDisposition | null;
  readonly credits_reserved: number;
  readonly credits_charged: number | null;
  readonly credits_released: number | null;
  /** `subscription` where units pay; absent for credits. */
  readonly funding?: string | undefined;
  readonly units_reserved?: number | undefined;
  readonly units_charged?: number | null | undefined;
  readonly units_released?: number | null | undefined;
}

/** A refresh: workflow and billing, never inventory. Times are ISO 8601 UTC. */
export interface RefreshRecord {
  readonly refresh_id: string;
  readonly scope: Scope;
  readonly state: RefreshState;
  readonly requested_at: string;
  readonly completed_at: string | null;
  readonly deadline_at: string | null;
  /** An estimate, in `status` of a pending refresh; null when unknown. */
  readonly expected_completed_at?: string | null | undefined;
  readonly outcome: RefreshOutcome | null;
  readonly revision_id: string | null;
  readonly billing_state: BillingState;
  readonly billing_disposition: SettlementDisposition | null;
  readonly billing: RefreshBilling;
}

export interface RateLimit {
  readonly limit_per_minute: number;
  readonly remaining: number;
  readonly reset_seconds: number;
}

/** Request and billing information; which fields are there depends on the operation. */
export interface Meta {
  readonly request_id: string;
  readonly product_code?: string | undefined;
  readonly price_version?: number | undefined;
  readonly credits_reserved?: number | undefined;
  readonly units_reserved?: number | undefined;
  readonly credits_charged?: number | undefined;
  readonly credits_remaining?: number | undefined;
  readonly funding?: string | undefined;
  readonly units_charged?: number | undefined;
  readonly units_remaining?: number | undefined;
  readonly billing_disposition?: BillingDisposition | undefined;
  readonly billing_reason?: string | null | undefined;
  readonly rate_limit?: RateLimit | undefined;
}

/** One item instance. Ids are text: they exceed the safe integers. */
export interface Asset {
  readonly appid: number;
  readonly contextid: string;
  readonly assetid: string;
  readonly classid: string;
  readonly instanceid: string;
  /** Of the stack, as decimal digits. */
  readonly amount: string;
  readonly [field: string]: unknown;
}

/** Texts and properties shared by all assets of one `classid` + `instanceid`. */
export interface Description {
  readonly appid: number;
  readonly classid: string;
  readonly instanceid: string;
  readonly market_hash_name?: string | undefined;
  readonly tradable?: number | undefined;
  readonly [field: string]: unknown;
}

export interface Pagination {
  readonly has_more: boolean;
  /** Opaque. Null or absent on the last page. */
  readonly next_cursor?: string | null | undefined;
}

/** One page of a saved revision. */
export interface CurrentPage {
  readonly scope: Scope;
  readonly revision_id: string;
  readonly observation_id: string;
  readonly verified_at: string;
  readonly age_seconds: number;
  readonly scan_window: { readonly started_at: string; readonly completed_at: string };
  readonly assets: readonly Asset[];
  readonly descriptions: readonly Description[];
  /** Item instances of the whole inventory. */
  readonly total_count: number;
  /** Stacked amounts of the whole inventory, exact: it may exceed the safe integers. */
  readonly total_amount: bigint;
  readonly reported_total_count: number;
  readonly pagination: Pagination;
}

/** One page read from the platform during the request. */
export interface LivePage {
  readonly assets: readonly Asset[];
  readonly descriptions: readonly Description[];
  /** As the platform counts the whole inventory. */
  readonly total_count: number;
  readonly pagination: Pagination;
}

export interface RefreshPage {
  /** Newest first. */
  readonly items: readonly RefreshRecord[];
  readonly pagination: Pagination;
}

/** A refresh as one answer showed it. */
export interface RefreshAnswer {
  readonly record: RefreshRecord;
  readonly meta: Meta;
  /** When to look again; null once collection and billing are both terminal. */
  readonly retryAfterSeconds: number | null;
  /** The Idempotency-Key had been used: this is the refresh of its first use. */
  readonly replayed: boolean;
}

/** One refresh of a batch: as if it had been asked for alone. */
export type BatchResult =
  | {
      readonly accepted: true;
      readonly idempotencyKey: string;
      readonly answer: RefreshAnswer;
    }
  | {
      readonly accepted: false;
      /** Where the error is retryable, the same key and inputs may be sent again. */
      readonly idempotencyKey: string;
      readonly error: ApiError;
    };

/** A page with what it cost. */
export interface PageAnswer<Page> {
  readonly page: Page;
  readonly meta: Meta;
  /** Read again with the Idempotency-Key of a page that was paid for already. */
  readonly replayed: boolean;
}

/** An asset with its description; null where the platform gave none. */
export interface DescribedAsset {
  readonly asset: Asset;
  readonly description: Description | null;
}
