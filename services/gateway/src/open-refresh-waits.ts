import type { MessageBus } from '@inventory/messaging/bus';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { onProjectEvent } from './consumers/on-project-event.ts';
import { observeWaitingRefreshes } from './metrics.ts';
import { createRefreshWaits, type RefreshWaits } from './operations/refresh-waits.ts';

/** Sockets and memory of waiting requests; past it they are answered at once. */
const limits = { waitingMax: 1_000, waitingPerAccountMax: 100 };

/** Long polls of this replica, woken by the events of every Project. */
export async function openRefreshWaits(
  bus: Pick<MessageBus, 'broadcast'>,
  lifetime: Lifetime,
): Promise<RefreshWaits> {
  const waits = createRefreshWaits(limits);
  const subscription = await bus.broadcast({
    name: 'gateway-project-events',
    topics: ['project.events.v1'],
    onMessage: onProjectEvent(waits),
  });
  lifetime.defer('project events', () => subscription.stop());
  const stopObserving = observeWaitingRefreshes(() => waits.waiting);
  lifetime.defer('metrics of waits', stopObserving);
  return waits;
}
