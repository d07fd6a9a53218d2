import type {
  AccountId,
  EventId,
  ProjectId,
  RefreshId,
  RevisionId,
} from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { RefreshOutcome } from '@inventory/contracts/vocabulary';

/** A terminal refresh, as published by the collector. */
export interface TerminalRefresh {
  readonly refreshId: RefreshId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly outcome: RefreshOutcome;
  readonly revisionId: RevisionId | null;
  readonly completedAt: string;
  /** Null in a message of an earlier version. */
  readonly inventory: InventoryKey | null;
}

/** An event without its position: a refresh always has the same event. */
export interface RefreshEvent {
  readonly id: EventId;
  readonly type: 'inventory.refresh.completed';
  readonly version: 1;
  readonly occurredAt: string;
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
  readonly outcome: RefreshOutcome;
  /** Absent in entries of earlier versions, whose event stays as it was delivered. */
  readonly inventory?: InventoryKey | null | undefined;
  readonly revisionId?: RevisionId | null | undefined;
}

export const refreshEventType = 'inventory.refresh.completed';

/** `eventUuid` is the UUIDv5 of the refresh and the event type, so that a refresh has one event. */
export function refreshEvent(terminal: TerminalRefresh, eventUuid: string): RefreshEvent {
  return {
    id: `evt_${eventUuid}`,
    type: refreshEventType,
    version: 1,
    occurredAt: terminal.completedAt,
    projectId: terminal.projectId,
    refreshId: terminal.refreshId,
    outcome: terminal.outcome,
    inventory: terminal.inventory,
    revisionId: terminal.revisionId,
  };
}
