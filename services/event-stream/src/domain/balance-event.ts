import type { EventId, ProjectId } from '@inventory/contracts/ids';

/** The same crossing makes one event in each Project that is told of it. */
export interface BalanceLowEvent {
  readonly id: EventId;
  readonly type: 'account.balance.low';
  readonly version: 1;
  readonly occurredAt: string;
  readonly projectId: ProjectId;
  readonly available: number;
  readonly threshold: number;
}
