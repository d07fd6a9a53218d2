import { refreshIdOf } from '@inventory/contracts/http/project-event';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { observeWaitingRefreshes } from '../metrics.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import { createRefreshWaits, type RefreshWaits } from './refresh-waits.ts';

/** Bounds the sockets and memory of waiting requests; past it the response is immediate. */
const waitLimits = { totalMax: 1_000, perKeyMax: 100 };

/** Requests that wait until a refresh is terminal, notified by its event in the Project's log. */
export function openRefreshWaits(
  lifetime: Pick<Lifetime, 'defer'>,
  broadcasts: Broadcasts,
): RefreshWaits {
  const waits = createRefreshWaits(waitLimits);
  lifetime.defer(
    'metrics of waits',
    observeWaitingRefreshes(() => waits.waiting),
  );
  broadcasts.filter('project.events.v1', waits.hasProject);
  broadcasts.on(['project.event-appended.v1'], ({ body: { project_id, event } }) => {
    const refreshId = refreshIdOf(event);
    if (refreshId !== null) waits.notify(project_id, refreshId);
  });
  return waits;
}
