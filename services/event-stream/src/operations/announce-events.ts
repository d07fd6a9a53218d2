import { idPrefixes } from '@inventory/contracts/ids';
import { uuidV5 } from '@inventory/runtime/identifiers';
import {
  type BalanceCrossing,
  balanceLowEvent,
  balanceLowEventType,
  balanceLowName,
} from '../domain/balance-event.ts';
import { refreshEvent, refreshEventType, type TerminalRefresh } from '../domain/refresh-event.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import { type AppendEventDeps, appendEvent } from './append-event.ts';

/** Appends the event of a terminal refresh to its Project's log; duplicates have no effect. */
export async function announceRefresh(
  deps: AppendEventDeps,
  terminal: TerminalRefresh,
): Promise<void> {
  const event = refreshEvent(terminal, uuidV5(terminal.refreshId, refreshEventType));
  await appendEvent(deps, terminal.accountId, event);
}

export interface AnnounceBalanceDeps extends AppendEventDeps {
  readonly endpoints: Pick<EndpointStore, 'listSubscribedProjects'>;
}

/**
 * Appends an event to every Project of the account with an enabled endpoint for the type. After a
 * crash the message is redelivered; an event that exists is not appended again.
 */
export async function announceBalance(
  deps: AnnounceBalanceDeps,
  crossing: BalanceCrossing,
): Promise<void> {
  const { accountId } = crossing;
  const accountUuid = accountId.slice(idPrefixes.account.length);
  const projects = await deps.endpoints.listSubscribedProjects(accountId, balanceLowEventType);
  for (const projectId of projects) {
    const eventUuid = uuidV5(accountUuid, balanceLowName(crossing, projectId));
    await appendEvent(deps, accountId, balanceLowEvent(crossing, projectId, eventUuid));
  }
}
