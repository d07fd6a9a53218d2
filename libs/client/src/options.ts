import type { RefreshRecord } from './records.ts';

export interface CallOptions {
  /** For the call with all its retries; 90 s by default. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface KeyedOptions extends CallOptions {
  /** One is made for each call by default; give your own to repeat a call after a restart. */
  readonly idempotencyKey?: string | undefined;
}

export interface RefreshOptions extends KeyedOptions {
  /** The most that may be charged; 125 by default, which is also the least. */
  readonly maxCredits?: number | undefined;
  /** Language word of the platform; `english` by default. */
  readonly language?: string | undefined;
}

export interface WaitOptions {
  /** For the whole workflow; 15 minutes by default. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of every record that is seen: keep `refresh_id` to wait on after a restart. */
  readonly onProgress?: ((record: RefreshRecord) => void) | undefined;
}

export interface RefreshAndWaitOptions extends WaitOptions {
  readonly maxCredits?: number | undefined;
  readonly language?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface ListOptions extends CallOptions {
  readonly states?: readonly string[] | undefined;
  readonly refreshIds?: readonly string[] | undefined;
  /** Per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
  readonly cursor?: string | null | undefined;
}

export interface StatementOptions extends CallOptions {
  /** Per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
  readonly cursor?: string | null | undefined;
}

/** Without days: the present UTC month so far. */
export interface UsageOptions extends CallOptions {
  /** UTC day as YYYY-MM-DD, as `to`; both are included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly projectId?: string | undefined;
}

/** The limits hold for each page of a walk. */
export interface LivePageOptions extends CallOptions {
  readonly language?: string | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | null | undefined;
}

export interface CurrentPageOptions extends LivePageOptions {
  /** 1 to 2000; 2000 by default. */
  readonly pageSize?: number | undefined;
}

export type Keyed<Options> = Options & Pick<KeyedOptions, 'idempotencyKey'>;
