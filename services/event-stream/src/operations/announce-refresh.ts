import { uuidV5 } from '@inventory/runtime/identifiers';
import { refreshEvent, refreshEventType, type TerminalRefresh } from '../domain/refresh-event.ts';
import { type AppendDependencies, appendEvent } from './append-event.ts';

/** A refresh is terminal: its Project's log tells of it once, however often this is called. */
export async function announceRefresh(
  dependencies: AppendDependencies,
  terminal: TerminalRefresh,
): Promise<void> {
  const event = refreshEvent(terminal, uuidV5(terminal.refreshId, refreshEventType));
  await appendEvent(dependencies, terminal.accountId, event);
}
