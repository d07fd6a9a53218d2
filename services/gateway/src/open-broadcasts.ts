import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';
import type { Lifetime } from '@inventory/runtime/lifetime';

/** Must be quick and must not throw. */
export type BroadcastHandler = (message: ReceivedMessage) => void;

export interface Broadcasts {
  /** Handlers run in the order they were added; each takes the message types it knows. */
  add(handler: BroadcastHandler): void;
}

/**
 * Reads the broadcast topics once for all features of this replica, so that each record is decoded
 * once and the order between features is fixed.
 */
export async function openBroadcasts(
  bus: Pick<MessageBus, 'broadcast'>,
  lifetime: Lifetime,
): Promise<Broadcasts> {
  const handlers: BroadcastHandler[] = [];
  const subscription = await bus.broadcast({
    name: 'gateway',
    topics: ['replies.v1', 'authority.changes.v1', 'project.events.v1'],
    onMessage(message) {
      for (const handle of handlers) handle(message);
    },
  });
  lifetime.defer('broadcasts', () => subscription.stop());
  return { add: (handler) => void handlers.push(handler) };
}
