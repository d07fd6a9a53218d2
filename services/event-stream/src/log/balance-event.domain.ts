import type { AccountId, EventId, ProjectId } from '@inventory/contracts/ids';

/** The available amount of an account fell below the threshold of its alert, as published by the ledger. */
export interface BalanceCrossing {
  readonly accountId: AccountId;
  readonly threshold: number;
  readonly available: number;
  /** The journal entry that crossed the threshold. */
  readonly entrySeq: number;
  readonly at: string;
}

/** A crossing has one event in each Project of the account. */
export interface BalanceLowEvent {
  readonly id: EventId;
  readonly type: 'account.balance.low';
  readonly version: 1;
  readonly occurredAt: string;
  readonly projectId: ProjectId;
  readonly available: number;
  readonly threshold: number;
}

const balanceLowEventType = 'account.balance.low';

/**
 * The name, within the account, of the event's UUIDv5. The Project is part of it: an event belongs
 * to one log, so each Project has an event of its own.
 */
export function balanceLowName(crossing: BalanceCrossing, projectId: ProjectId): string {
  return `${balanceLowEventType}/${crossing.threshold}/${crossing.entrySeq}/${projectId}`;
}

export function balanceLowEvent(
  crossing: BalanceCrossing,
  projectId: ProjectId,
  eventUuid: string,
): BalanceLowEvent {
  return {
    id: `evt_${eventUuid}`,
    type: balanceLowEventType,
    version: 1,
    occurredAt: crossing.at,
    projectId,
    available: crossing.available,
    threshold: crossing.threshold,
  };
}
