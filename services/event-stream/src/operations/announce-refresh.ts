import { uuidV5 } from '@inventory/runtime/identifiers';
import { refreshEvent, refreshEventType, type TerminalRefresh } from '../domain/refresh-event.ts';
import { type AppendEventDeps, appendEvent } from './append-event.ts';

/** Appends the event of a terminal refresh to its Project's log; duplicates have no effect. */
export async function announceRefresh(
  deps: AppendEventDeps,
  terminal: TerminalRefresh,
): Promise<void> {
  const event = refreshEvent(terminal, uuidV5(terminal.refreshId, refreshEventType));
  await appendEvent(deps, terminal.accountId, event);
}
