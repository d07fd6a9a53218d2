import { messages } from '@inventory/contracts/messages';
import type { TopicName } from '@inventory/contracts/topics';
import type {
  BroadcastConsumer,
  MessageBus,
  OutgoingMessage,
  ReceivedMessage,
} from '@inventory/messaging/bus';
import { openLifetime } from '@inventory/runtime/lifetime';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { type Broadcasts, openBroadcasts } from './open-broadcasts.ts';
import { replyTypes } from './request-reply-client.ts';

const accountId = newAccountId();
const revocation: OutgoingMessage = {
  type: 'authority.changed.v1',
  id: 'authority-changed:1',
  body: {
    accountId,
    projectId: null,
    credentialId: null,
    atMs: Date.UTC(2026, 0, 1),
  },
};

type Open = (bus: MessageBus) => Promise<Broadcasts>;

/** A bus with one reader, which is given what it wants. */
function oneReader() {
  let reader: BroadcastConsumer | undefined;
  const wants = (topic: TopicName, key: string) => reader?.wants?.({ topic, key }) !== false;
  return {
    wants,
    broadcast: async (opened: BroadcastConsumer) => {
      reader = opened;
      return { stop: async () => {} };
    },
    deliver(key: string, message: OutgoingMessage): void {
      const { topic } = messages[message.type];
      if (!wants(topic, key)) return;
      const position = { key, topic, partition: 0, offset: '0', trace: {} };
      const unasked = { waitingId: undefined, deadlineMs: undefined };
      reader?.onMessage({ ...position, ...unasked, ...message } as ReceivedMessage);
    },
  };
}

const openThem: Open = (bus) =>
  openBroadcasts(bus, openLifetime(testLogger, 1_000), only({ isExpected: () => true }));

/** Planted fault: handlers run in the order in which the features were opened. */
const openInOrderOfRegistration: Open = async (bus) => {
  const handlers: ((message: ReceivedMessage) => void)[] = [];
  await bus.broadcast({
    name: 'gateway',
    topics: ['authority.changes.v1'],
    onMessage: (message) => {
      for (const handle of handlers) handle(message);
    },
  });
  const on: Broadcasts['on'] = (types, handler) =>
    handlers.push((message) => {
      if (types.some((type) => type === message.type)) handler(message as never);
    });
  return { on, invalidateOn: on, filter: () => {} };
};

/**
 * A reader whose stream ends connects again at once. True when the cache still accepts the revoked
 * Credential then, for streams and cache registered in either order.
 */
async function acceptsRevoked(open: Open, first: 'cache' | 'streams'): Promise<boolean> {
  const bus = oneReader();
  const broadcasts = await open(only(bus));
  const cached = new Set([accountId]);
  const accepted: boolean[] = [];
  const addCache = () =>
    broadcasts.invalidateOn(['authority.changed.v1'], ({ body }) => {
      cached.delete(body.accountId);
    });
  const addStreams = () =>
    broadcasts.on(['authority.changed.v1'], ({ body }) => {
      accepted.push(cached.has(body.accountId));
    });
  for (const add of first === 'cache' ? [addCache, addStreams] : [addStreams, addCache]) add();

  bus.deliver(accountId, revocation);

  expect(accepted).toHaveLength(1);
  return accepted[0] === true;
}

test.each(['cache', 'streams'] as const)(
  'the principal cache is invalidated before streams react to a change, with the %s registered first (Authentication) [authentication]',
  async (first) => {
    expect(await acceptsRevoked(openThem, first)).toBe(false);
  },
);

test('planted fault: dispatch in the order of registration lets a revoked Credential connect again', async () => {
  expect(await acceptsRevoked(openInOrderOfRegistration, 'cache')).toBe(false);
  expect(await acceptsRevoked(openInOrderOfRegistration, 'streams')).toBe(true);
});

test('a handler is called with the types that it was added for and no others', async () => {
  const bus = oneReader();
  const broadcasts = await openThem(only(bus));
  const received: string[] = [];
  broadcasts.on(replyTypes, ({ type }) => received.push(type));

  bus.deliver(accountId, revocation);
  bus.deliver('reply', replyTo(newRefreshId()));

  expect(received).toEqual(['reply.refresh-cancel.v1']);
});

test('an event of a Project that no feature of this replica wants is dropped before it is decoded (Events: fan-out)', async () => {
  const bus = oneReader();
  const broadcasts = await openThem(only(bus));
  const [followed, awaited, other] = [newProjectId(), newProjectId(), newProjectId()];
  broadcasts.filter('project.events.v1', (key) => key === followed);
  broadcasts.filter('project.events.v1', (key) => key === awaited);

  const wanted = [followed, awaited, other].map((key) => bus.wants('project.events.v1', key));

  expect(wanted).toEqual([true, true, false]);
});

test('a reply that no request of this replica waits for is dropped before it is decoded', async () => {
  const bus = oneReader();
  const isExpected = (waitingId: string) => waitingId === 'mine';
  const broadcasts = await openBroadcasts(
    only(bus),
    openLifetime(testLogger, 1_000),
    only({
      isExpected,
    }),
  );
  const received: string[] = [];
  broadcasts.on(['reply.refresh-cancel.v1'], ({ body }) => received.push(body.waitingId));

  for (const waitingId of ['of another', 'mine']) bus.deliver(waitingId, replyTo(waitingId));

  expect(received).toEqual(['mine']);
});

function replyTo(waitingId: string): OutgoingMessage {
  return {
    type: 'reply.refresh-cancel.v1',
    id: `reply:${waitingId}`,
    body: { waitingId, refreshId: newRefreshId(), result: 'not_found' },
  };
}
