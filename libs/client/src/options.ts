import type { EventGap, ProjectEvent } from './event-records.ts';
import type { ExportProgress } from './export-progress.ts';
import type { RefreshRecord, Scope } from './records.ts';

export type { ExportProgress };

export interface CallOptions {
  /** For the call with all its retries; 90 s by default. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Keyable {
  /** Generated for each call by default; pass one to repeat a call after a restart. */
  readonly idempotencyKey?: string | undefined;
}

export interface KeyedOptions extends CallOptions, Keyable {}

interface WantedRefresh extends Keyable {
  /** The largest authorized charge; 125 by default, which is also the minimum. */
  readonly maxCredits?: number | undefined;
  /** Language word of the platform; `english` by default. */
  readonly language?: string | undefined;
  /**
   * Seconds, 0 to 86400: an observation of the language that is saved and no older completes the
   * refresh at once, free; the record's `served_from` is `saved` then. By default the platform is
   * always scanned.
   */
  readonly maxAge?: number | undefined;
}

export interface RefreshOptions extends CallOptions, WantedRefresh {}

/** One refresh of a batch. */
export interface BatchItem extends WantedRefresh {
  readonly scope: Scope;
}

export interface StatusOptions extends CallOptions {
  /** The service responds when the refresh is terminal, or after this time; 0 to 30. */
  readonly waitSeconds?: number | undefined;
}

export interface WaitOptions {
  /** For the whole workflow; 15 minutes by default. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with every record: store `refresh_id` to resume the wait after a restart. */
  readonly onProgress?: ((record: RefreshRecord) => void) | undefined;
}

export interface RefreshAndWaitOptions extends WaitOptions, WantedRefresh {}

interface WantedWatch {
  /** 300 to 604800: one run in each such period. */
  readonly everySeconds: number;
  /** Language word of the platform; `english` by default. */
  readonly language?: string | undefined;
  /** At least 125; no limit of its own by default. */
  readonly maxCreditsPerDay?: number | undefined;
}

export interface WatchOptions extends CallOptions, WantedWatch {
  /** Nothing is stored: the response states what the watch would cost. */
  readonly dryRun?: boolean | undefined;
}

/** One watch of a batch. */
export interface WatchItem extends WantedWatch {
  readonly scope: Scope;
}

export interface WatchBatchOptions extends CallOptions {
  /** Nothing is stored: the responses state what the watches would cost. */
  readonly dryRun?: boolean | undefined;
}

export interface ListWatchesOptions extends ListPartOptions {
  readonly state?: 'active' | 'paused' | undefined;
}

export interface WatchRunsOptions extends ListPartOptions {
  /** Only runs that cost something, or only those that cost nothing; all by default. */
  readonly charged?: boolean | undefined;
}

export interface ListOptions extends ListPartOptions {
  readonly states?: readonly string[] | undefined;
  readonly refreshIds?: readonly string[] | undefined;
  readonly outcomes?: readonly string[] | undefined;
  readonly scope?: Scope | undefined;
  /** Requested at this time or later, RFC 3339, and before `requestedTo`. */
  readonly requestedFrom?: string | undefined;
  readonly requestedTo?: string | undefined;
}

/** Of every list in pages. */
interface ListPartOptions extends CallOptions {
  /** Per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
  readonly cursor?: string | null | undefined;
}

export interface StatementOptions extends ListPartOptions {
  /** Booked at this time or later, RFC 3339, and before `bookedTo`. */
  readonly bookedFrom?: string | undefined;
  readonly bookedTo?: string | undefined;
}

/** Without days: the present UTC month so far. */
export interface UsageOptions extends CallOptions {
  /** UTC day as YYYY-MM-DD, as `to`; both are included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly projectId?: string | undefined;
}

export interface ListEventsOptions extends CallOptions {
  /** Only events of these types; all by default. */
  readonly types?: readonly string[] | undefined;
  /** Cursor of the last applied event; by default the list starts at the oldest stored event. */
  readonly after?: string | null | undefined;
  /** Per page, 1 to 100; 50 by default. */
  readonly limit?: number | undefined;
}

/** A connection ended, and the client reconnects. */
export interface Interruption {
  /** The reason of the service, the code of an error, or `ended`. */
  readonly reason: string;
  readonly retryInMs: number;
}

export interface FollowEventsOptions {
  /** Only events of these types; all by default. The position passes the others. */
  readonly types?: readonly string[] | undefined;
  /** Last cursor of `onProgress`; by default the stream starts at the present end. */
  readonly lastEventId?: string | null | undefined;
  /**
   * Applies one event; the next one waits for it. Its error rejects `followEvents`, and the event is
   * redelivered next time.
   */
  readonly onEvent: (event: ProjectEvent, cursor: string) => void | Promise<void>;
  /** Stores the position: the `lastEventId` of the next start. */
  readonly onProgress?: ((cursor: string) => void | Promise<void>) | undefined;
  /**
   * Handles expired events, by reading the refreshes that you wait for; the stored events follow.
   * Without it `followEvents` rejects with `RecoveryRequiredError`.
   */
  readonly onGap?: ((gap: EventGap) => void | Promise<void>) | undefined;
  /** Called for logging. */
  readonly onInterruption?: ((interruption: Interruption) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A connection without a byte for this long is closed; 45 s by default. */
  readonly silenceMaxMs?: number | undefined;
}

/** The limits apply to each page of an iteration. */
export interface PageOptions extends CallOptions {
  readonly language?: string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | null | undefined;
}

export interface LivePageOptions extends PageOptions {
  /** False leaves a chain that is read to its end unsaved; give it with the first page. */
  readonly capture?: boolean | undefined;
}

export interface CurrentPageOptions extends PageOptions {
  /** 1 to 2000; 2000 by default. */
  readonly pageSize?: number | undefined;
  /** `none` leaves the descriptions out; `page` by default. */
  readonly descriptions?: 'page' | 'none' | undefined;
}

export interface ChangesOptions extends PageOptions {
  /** Changes of a page, 1 to 2000; 2000 by default. */
  readonly pageSize?: number | undefined;
}

export interface CurrentLookupOptions extends CurrentPageOptions {
  /** Up to 100 ids: the page is these assets; not together with `pageSize` and `cursor`. */
  readonly assetIds?: readonly string[] | undefined;
}

export interface ReadAllOptions {
  readonly language?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the head of a download, and with each row. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  /** A download without a byte for this long is resumed; 45 s by default. */
  readonly silenceMaxMs?: number | undefined;
  /** Generated by default; a download under it is resumed while that is certainly free. */
  readonly idempotencyKey?: string | undefined;
}

export interface ExportOptions extends ReadAllOptions {
  /** The first row, from 0; rows of another observation are not counted alike. */
  readonly fromRow?: number | undefined;
  /** What `fromRow` counts the rows of; the latest by default. */
  readonly observationId?: string | undefined;
}

export type Keyed<Options> = Options & Keyable;
