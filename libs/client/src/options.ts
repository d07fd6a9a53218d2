import type { EventGap } from './event-gap.ts';
import type { ProjectEvent } from './event-records.ts';
import type { RefreshRecord, Scope } from './records.ts';

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

/** One refresh of a batch. */
export interface BatchItem extends Pick<RefreshOptions, 'maxCredits' | 'language'> {
  readonly scope: Scope;
  /** One is made by default, and told with the result. */
  readonly idempotencyKey?: string | undefined;
}

export interface StatusOptions extends CallOptions {
  /** The service answers when the refresh is terminal, after this long at the latest; 0 to 30. */
  readonly waitSeconds?: number | undefined;
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

export interface ListEventsOptions extends CallOptions {
  /** Cursor of the last event that was applied; without it, from the oldest that is kept on. */
  readonly after?: string | null | undefined;
  /** Per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
}

/** A connection ended, and another follows. */
export interface Interruption {
  /** What the service said of it, the code of a refusal, or `ended`. */
  readonly reason: string;
  readonly retryInMs: number;
}

export interface FollowEventsOptions {
  /** Cursor that `onProgress` stored last; without it, from the present end on. */
  readonly lastEventId?: string | null | undefined;
  /**
   * Applies one event; the next waits for it. Whatever it throws ends the reading with that same
   * error, and the event comes again next time.
   */
  readonly onEvent: (event: ProjectEvent, cursor: string) => void | Promise<void>;
  /** Stores how far everything was applied: the `lastEventId` of the next start. */
  readonly onProgress?: ((cursor: string) => void | Promise<void>) | undefined;
  /**
   * Makes up for events that are no longer kept, by reading the refreshes that you wait for. What
   * is kept follows. Without it the reading ends with `RecoveryRequiredError`.
   */
  readonly onGap?: ((gap: EventGap) => void | Promise<void>) | undefined;
  /** For your log. */
  readonly onInterruption?: ((interruption: Interruption) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A connection is given up that says nothing for this long; 45 s by default. */
  readonly silenceMaxMs?: number | undefined;
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
