import { currentPath } from '@inventory/contracts/http/current';
import type { ProjectEvent } from '@inventory/contracts/http/project-event';
import { refreshPath } from '@inventory/contracts/http/refresh';
import type { EventId } from '@inventory/contracts/ids';
import type { EventType, LoggedEvent } from './project-event.domain.ts';
import type { RefreshEvent } from './refresh-event.domain.ts';

/** An event of any type: its JSON is written once, and delivered everywhere. */
export interface EventText {
  readonly eventId: EventId;
  readonly type: EventType;
  readonly json: string;
}

export function toEventText(event: LoggedEvent): EventText {
  const { id: eventId, type } = event;
  return { eventId, type, json: JSON.stringify(toWireEvent(event)) };
}

/** The event as customers receive it. */
export function toWireEvent(event: LoggedEvent): ProjectEvent {
  const common = {
    id: event.id,
    version: event.version,
    occurred_at: event.occurredAt,
    project_id: event.projectId,
  };
  if (event.type === 'account.balance.low') {
    return {
      ...common,
      type: event.type,
      data: { available: event.available, threshold: event.threshold },
      links: { account: '/v2/account' },
    };
  }
  return {
    ...common,
    type: event.type,
    ...refreshContent(event),
  };
}

/** The content of an entry of an earlier version stays as it was delivered. */
function refreshContent({ refreshId, outcome, inventory, revisionId = null }: RefreshEvent) {
  const data = { refresh_id: refreshId, state: 'completed' as const, outcome };
  const refresh = refreshPath(refreshId);
  if (inventory === undefined) return { data, links: { refresh } };
  const isSaved = inventory !== null && revisionId !== null;
  return {
    data: { ...data, scope: inventory, revision_id: revisionId },
    links: { refresh, ...(isSaved ? { current: currentPath(inventory) } : {}) },
  };
}
