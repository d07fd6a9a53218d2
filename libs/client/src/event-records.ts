import type { Pagination, RefreshOutcome } from './records.ts';

/**
 * What a Project's events are, with the names they have on the wire. Other types may be added:
 * leave alone what you do not know.
 */
interface EventCommon {
  /** One and the same however often and by whatever way it arrives. */
  readonly id: string;
  /** Of the shape of its type. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly occurred_at: string;
  readonly project_id: string;
}

/** A refresh is terminal: read its outcome first, then Current. */
export interface RefreshCompletedEvent extends EventCommon {
  readonly type: 'inventory.refresh.completed';
  readonly data: {
    readonly refresh_id: string;
    readonly state: string;
    readonly outcome: RefreshOutcome;
  };
  /** Relative to the base address. */
  readonly links: { readonly refresh: string };
}

/** Less is available than the threshold of the account's balance alert. */
export interface BalanceLowEvent extends EventCommon {
  readonly type: 'account.balance.low';
  readonly data: { readonly available: number; readonly threshold: number };
  readonly links: { readonly account: string };
}

export type ProjectEvent = RefreshCompletedEvent | BalanceLowEvent;

/** An event with its place: the same cursor as on the stream. */
export interface PlacedEvent {
  readonly cursor: string;
  readonly event: ProjectEvent;
}

export interface EventPage {
  /** Oldest first. */
  readonly items: readonly PlacedEvent[];
  readonly pagination: Pagination;
}
