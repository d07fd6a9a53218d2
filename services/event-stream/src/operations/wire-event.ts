import type { ProjectEvent } from '@inventory/contracts/http/project-event';
import { refreshPath } from '@inventory/contracts/http/refresh';
import type { LoggedEvent } from '../domain/project-event.ts';

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
    data: { refresh_id: event.refreshId, state: 'completed', outcome: event.outcome },
    links: { refresh: refreshPath(event.refreshId) },
  };
}
