import type { MessageType } from '@inventory/contracts/messages';
import type { TopicName } from '@inventory/contracts/topics';
import type { MessageBus, ReceivedMessage } from '@inventory/messaging/bus';
import type { PendingReplies } from '@inventory/messaging/pending-replies';
import type { Lifetime } from '@inventory/runtime/lifetime';

/** Must return quickly and must not throw. */
type Handler<Type extends MessageType> = (
  message: Extract<ReceivedMessage, { type: NoInfer<Type> }>,
) => void;

export interface Broadcasts {
  /** Calls the handler with every message of these types. */
  on<Type extends MessageType>(types: readonly Type[], handler: Handler<Type>): void;
  /**
   * Calls the handler of a cache: for each message all caches are invalidated before any other
   * handler runs, in whatever order they were added. So other handlers read the changed state.
   */
  invalidateOn<Type extends MessageType>(types: readonly Type[], handler: Handler<Type>): void;
  /**
   * Records of the topic are decoded only when one of its filters accepts their key; all of a topic
   * without a filter. Must be quick and must not throw.
   */
  filter(topic: TopicName, accepts: (key: string) => boolean): void;
}

/**
 * Reads the broadcast topics once for all features of this replica: each record is decoded once, and
 * one that no feature wants is dropped by its key: a reply by its correlation id, a completed refresh
 * and an event by their Project.
 */
export async function openBroadcasts(
  bus: MessageBus,
  lifetime: Lifetime,
  replies: PendingReplies,
): Promise<Broadcasts> {
  const caches = createDispatch();
  const features = createDispatch();
  const filters = new Map<TopicName, ((key: string) => boolean)[]>([
    ['replies.v1', [replies.isExpected]],
  ]);
  const subscription = await bus.broadcast({
    name: 'gateway',
    topics: ['replies.v1', 'authority.changes.v1', 'refresh.outcomes.v1', 'project.events.v1'],
    wants: ({ topic, key }) => filters.get(topic)?.some((accepts) => accepts(key)) ?? true,
    onMessage(message) {
      caches.dispatch(message);
      features.dispatch(message);
    },
  });
  lifetime.defer('broadcasts', () => subscription.stop());
  return {
    on: features.add,
    invalidateOn: caches.add,
    filter: (topic, accepts) => void filters.set(topic, [...(filters.get(topic) ?? []), accepts]),
  };
}

function createDispatch() {
  const handlers = new Map<MessageType, ((message: ReceivedMessage) => void)[]>();
  return {
    add<Type extends MessageType>(types: readonly Type[], handler: Handler<Type>): void {
      for (const type of types) {
        const ofType = handlers.get(type) ?? [];
        handlers.set(type, ofType);
        ofType.push(handler as (message: ReceivedMessage) => void);
      }
    },
    dispatch(message: ReceivedMessage): void {
      for (const handle of handlers.get(message.type) ?? []) handle(message);
    },
  };
}
