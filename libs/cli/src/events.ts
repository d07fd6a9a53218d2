import type { ProjectEvent, RefreshCompletedEvent } from '@inventory/client/event-records';
import { applyStored, type FollowPlan, follow } from './follow.ts';
import { type CallFlags, cells, projectOf, type Session, scopeText } from './session.ts';

export interface EventsFlags extends CallFlags {
  readonly from?: string;
  readonly follow?: boolean;
}

/** The stored events after a cursor, or all; with `--follow` the later ones, as they happen. */
export async function showEvents(session: Session, options: EventsFlags): Promise<void> {
  const plan: FollowPlan = {
    projectId: await projectOf(session),
    from: options.from ?? null,
    apply: (event, cursor) => session.printer.result({ cursor, event }, eventLine(event)),
  };
  if (options.follow) await follow(session, plan);
  const last = await applyStored(session, plan);
  if (last !== null) session.printer.note(`To read on from here: --from ${last}`);
}

/** What the known types of events have in `data`. */
export type EventData = Partial<RefreshCompletedEvent['data']> & { readonly reason?: string };

export function eventLine({ id, type, occurred_at, data }: ProjectEvent): string {
  const { outcome, reason, scope, refresh_id } = data as EventData;
  return cells(occurred_at, type, outcome ?? reason, scope && scopeText(scope), refresh_id, id);
}
