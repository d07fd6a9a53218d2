import type { components } from './generated/wire-types.ts';

type Schemas = components['schemas'];

/** An event of a Project. Types may be added within the version: ignore unknown ones. */
export type ProjectEvent = Schemas['ProjectEvent'];
/** A refresh is terminal: read its outcome, then Current. */
export type RefreshCompletedEvent = Schemas['RefreshCompletedEvent'];
/** Less is available than the threshold of the account's balance alert. */
export type BalanceLowEvent = Schemas['BalanceLowEvent'];

export type EventPage = Schemas['EventPage'];
/** An event with its position: the same cursor as on the stream. */
export type PlacedEvent = EventPage['items'][number];

/** Expired events between two cursors: they cannot be recovered. */
export interface EventGap {
  /** `cursor_too_old` or `log_epoch_changed`. */
  readonly reason: string;
  /** The cursor that cannot be continued. */
  readonly lastCursor: string | null;
  /** Time of the oldest stored event, ISO 8601 UTC; null when there is none. */
  readonly earliestAsOf: string | null;
  /** The start of the stored events. */
  readonly resumeCursor: string;
}
