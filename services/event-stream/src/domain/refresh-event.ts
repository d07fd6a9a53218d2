import type {
  AccountId,
  EventId,
  ProjectId,
  RefreshId,
  RevisionId,
} from '@inventory/contracts/ids';
import type { RefreshOutcome } from '@inventory/contracts/vocabulary';

/** A terminal refresh, as published by the collector. */
export interface TerminalRefresh {
  readonly refreshId: RefreshId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly outcome: RefreshOutcome;
  readonly revisionId: RevisionId | null;
  readonly completedAt: string;
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
  };
}
