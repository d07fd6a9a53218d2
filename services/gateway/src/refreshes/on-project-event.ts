import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { RefreshWaits } from './refresh-waits.ts';

/** An event has its place in a log: the refresh that it tells of is terminal. */
export function onProjectEvent(waits: Pick<RefreshWaits, 'notify'>) {
  return (message: ReceivedMessage): void => {
    if (message.type !== 'project.event-appended.v1') return;
    const { event } = message.body;
    if (event.type === 'inventory.refresh.completed') waits.notify(event.data.refresh_id);
  };
}
