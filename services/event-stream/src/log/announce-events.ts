import { type AccountId, idPrefixes, type ProjectId } from '@inventory/contracts/ids';
import { uuidV5 } from '@inventory/runtime/identifiers';
import { type AppendEventDeps, appendEvent } from './append-event.ts';
import { type BalanceCrossing, balanceLowEvent, balanceLowName } from './balance-event.domain.ts';
import { refreshEvent, refreshEventType, type TerminalRefresh } from './refresh-event.domain.ts';

/** Appends the event of a terminal refresh to its Project's log; duplicates have no effect. */
export async function announceRefresh(
  deps: AppendEventDeps,
  terminal: TerminalRefresh,
): Promise<void> {
  const event = refreshEvent(terminal, uuidV5(terminal.refreshId, refreshEventType));
  await appendEvent(deps, terminal.accountId, event);
}

export interface AnnounceBalanceDeps extends AppendEventDeps {
  /** The Projects of an account with events; none while they are off. */
  readonly listEventProjects: (accountId: AccountId) => AsyncIterable<ProjectId>;
}

/**
 * Appends an event to every Project of the account while its events are enabled. After a crash the
 * message is redelivered; an event that exists is not appended again.
 */
export async function announceBalance(
  deps: AnnounceBalanceDeps,
  crossing: BalanceCrossing,
): Promise<void> {
  const { accountId } = crossing;
  const accountUuid = accountId.slice(idPrefixes.account.length);
  for await (const projectId of deps.listEventProjects(accountId)) {
    const eventUuid = uuidV5(accountUuid, balanceLowName(crossing, projectId));
    await appendEvent(deps, accountId, balanceLowEvent(crossing, projectId, eventUuid));
  }
}
