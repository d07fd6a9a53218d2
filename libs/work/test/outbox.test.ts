import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { MongoConnection } from '@inventory/mongo/connect';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Collection } from 'mongodb';
import { z } from 'zod';
import {
  type Outbox,
  outboxIndex,
  pushToOutbox,
  startOutbox,
  type WithOutbox,
  withTrace,
} from '../src/outbox.ts';
import { newWork } from '../src/work-field.ts';

interface Refresh extends WithOutbox {
  readonly _id: string;
  readonly state?: string;
}

const clock = createTestClock();
const stopDeadlineMs = 60_000;
let lifetime: Lifetime;
let held: PromiseWithResolvers<void>;
let mongo: MongoConnection;
let refreshes: Collection<Refresh>;
let collections = 0;

beforeAll(async () => {
  mongo = await openTestStore('outbox');
});
beforeEach(async () => {
  held = Promise.withResolvers();
  lifetime = openLifetime(testLogger, stopDeadlineMs);
  collections += 1;
  const collection = `refreshes_${collections}`;
  await ensureIndexes(mongo.db, [{ collection, indexes: [outboxIndex] }]);
  refreshes = mongo.db.collection(collection);
});
afterEach(async () => {
  held.resolve();
  await lifetime.close();
});
afterAll(() => mongo.close());

function message(id: string): OutgoingMessage {
  return {
    type: 'refresh.cancel.v1',
    id,
    body: {
      refreshId: newRefreshId(),
      accountId: newAccountId(),
      projectId: newProjectId(),
      requestedAtMs: Date.UTC(2026, 0, 1),
    },
  };
}

type Publish = (messages: readonly OutgoingMessage[]) => Promise<void>;

function startRelay(publish: Publish): Outbox {
  const { collectionName } = refreshes;
  const context = { lifetime, clock, identifiers: systemIdentifiers, logger: testLogger };
  return startOutbox(mongo.db, collectionName, publish, context);
}

/** Records published messages; fails on demand, before or after the send. */
function openTopic() {
  const sent: string[] = [];
  const state = { failure: undefined as 'before' | 'after' | undefined, tries: 0 };
  const publish: Publish = async (messages) => {
    state.tries += 1;
    if (state.failure === 'before') throw new Error('the broker is unavailable');
    sent.push(...messages.map(({ id }) => id));
    if (state.failure === 'after') throw new Error('killed before the removal');
  };
  return { sent, state, publish };
}

/** Changes a document and adds messages with the change, as an operation does. */
async function change(id: string, ...messageIds: string[]): Promise<void> {
  const messages = messageIds.map(message);
  const update = { $set: { state: 'changed' }, ...pushToOutbox(messages, clock.now()) };
  await refreshes.updateOne({ _id: id }, update as never, { upsert: true });
}

const withoutOutbox = async (id: string) => {
  const document = await refreshes.findOne({ _id: id });
  return document?.outbox?.length === 0 && !('outboxWork' in document);
};

test('a state and its messages are one write; they are published at once, and nothing is pending after the last', async () => {
  const { sent, publish } = openTopic();
  const relay = startRelay(publish);

  await change('r1', 'a', 'b');
  expect(await refreshes.findOne({ _id: 'r1' })).toMatchObject({
    state: 'changed',
    outbox: [{ id: 'a' }, { id: 'b' }],
    outboxWork: { dueAtMs: clock.now() + 2_000, tries: 0 },
  });
  await relay.flush('r1');

  expect(sent).toEqual(['a', 'b']);
  expect(await withoutOutbox('r1')).toBe(true);
});

test('messages written during a publish stay pending', async () => {
  const { sent, publish } = openTopic();
  const relay = startRelay(async (messages) => {
    if (sent.length === 0) await change('r1', 'late');
    await publish(messages);
  });
  await change('r1', 'early');

  await relay.flush('r1');

  expect(sent).toEqual(['early']);
  const left = await refreshes.findOne({ _id: 'r1' });
  expect(left?.outbox?.map(({ id }) => id)).toEqual(['late']);
  expect(left?.outboxWork?.dueAtMs).toEqual(expect.any(Number));
  await relay.flush('r1');
  expect(sent).toEqual(['early', 'late']);
  expect(await withoutOutbox('r1')).toBe(true);
});

test('a crash between publishing and removing repeats messages and loses none', async () => {
  const { sent, state, publish } = openTopic();
  const crashing = startRelay(publish);
  await change('r1', 'a', 'b');
  state.failure = 'after';
  await crashing.flush('r1');
  await lifetime.close();
  expect(await withoutOutbox('r1')).toBe(false);

  state.failure = undefined;
  clock.advance(2_001);
  lifetime = openLifetime(testLogger, stopDeadlineMs);
  startRelay(publish);

  await waitFor('the next process repeats them', () => withoutOutbox('r1'));
  expect(sent).toEqual(['a', 'b', 'a', 'b']);
});

test('after a crash before publishing, any process publishes, oldest first', async () => {
  const { sent, publish } = openTopic();
  for (const id of ['r1', 'r2', 'r3']) {
    await change(id, `of ${id}`);
    clock.advance(10);
  }
  clock.advance(2_001);

  startRelay(publish);

  await waitFor('all are published', () => sent.length === 3);
  expect(sent).toEqual(['of r1', 'of r2', 'of r3']);
});

test('recent messages are left to their writer', async () => {
  const { sent, publish } = openTopic();
  await change('old', 'old');
  clock.advance(2_001);
  await change('young', 'young');

  startRelay(publish);

  await waitFor('the old one is published', () => withoutOutbox('old'));
  expect(sent).toEqual(['old']);
});

test('while the broker is unavailable nothing is lost: it is tried until the broker is back', async () => {
  const { sent, state, publish } = openTopic();
  state.failure = 'before';
  await change('r1', 'a');
  clock.advance(2_001);
  startRelay(publish);
  const later = (check: () => boolean) => () => {
    clock.advance(2_001);
    return check();
  };
  await waitFor(
    'it was tried again',
    later(() => state.tries >= 2),
  );
  expect(await withoutOutbox('r1')).toBe(false);

  state.failure = undefined;

  await waitFor(
    'it is published',
    later(() => sent.length === 1),
  );
  await waitFor('it is removed', () => withoutOutbox('r1'));
});

test('messages of a document are first published in the order in which they were written', async () => {
  const { sent, publish } = openTopic();
  const slow: Publish = async (messages) => {
    for (let turns = 200 * Math.random(); turns > 0; turns -= 1) await yieldToEventLoop();
    await publish(messages);
  };
  const replicas = [startRelay(slow), startRelay(slow)];
  const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);

  const flushes: Promise<void>[] = [];
  for (const id of ids) {
    await change('r1', id);
    flushes.push(...replicas.map((relay) => relay.flush('r1')));
  }
  await Promise.all(flushes);
  await Promise.all(replicas.map((relay) => relay.flush('r1')));

  // Two relays may both send a message; none may send it before an earlier one was sent.
  expect([...new Set(sent)]).toEqual(ids);
  expect(await withoutOutbox('r1')).toBe(true);
});

test('three processes that poll concurrently publish each message once (architecture: law 3)', async () => {
  const { sent, publish } = openTopic();
  const ids = Array.from({ length: 150 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => change(id, `of ${id}`)));
  clock.advance(2_001);

  for (let replica = 0; replica < 3; replica += 1) startRelay(publish);

  await waitFor('nothing waits any more', async () => {
    return (await refreshes.countDocuments({ outboxWork: { $exists: true } })) === 0;
  });
  expect(sent.toSorted()).toEqual(ids.map((id) => `of ${id}`).toSorted());
});

test('a claimed document is published by another process once the claim expired, not before', async () => {
  const { sent, publish } = openTopic();
  await change('claimed', 'claimed');
  clock.advance(2_001);
  startRelay(() => held.promise);
  const claim = async () => {
    const { dueAtMs, tries = 0 } = (await refreshes.findOne({ _id: 'claimed' }))?.outboxWork ?? {};
    return tries > 0 && dueAtMs;
  };
  const until = await waitFor('the first process has claimed it', claim);
  await change('free', 'free');
  clock.advance(2_001);

  startRelay(publish);

  // Oldest first: the second process skips the claimed one before it publishes the other.
  await waitFor('the other one is published', () => withoutOutbox('free'));
  expect(sent).toEqual(['free']);
  clock.set(until);
  await waitFor('the claimed one is published', () => withoutOutbox('claimed'));
  expect(sent).toEqual(['free', 'claimed']);
});

test('a document whose messages break their contract does not block later ones', async () => {
  const { sent, publish } = openTopic();
  const unsendable = z.string().safeParse(7).error;
  await change('bad', 'bad');
  clock.advance(10);
  await change('good', 'good');
  clock.advance(2_001);
  let tries = 0;

  const relay = startRelay(async (messages) => {
    if (messages.some(({ id }) => id === 'bad')) {
      tries += 1;
      throw unsendable;
    }
    await publish(messages);
  });

  await waitFor('the good one is published', () => withoutOutbox('good'));
  await relay.flush('good');
  expect(sent).toEqual(['good']);
  expect(tries).toBe(1);
});

test('a document whose messages the broker refuses does not block later ones, and is sent once they are accepted', async () => {
  const { sent, publish } = openTopic();
  await change('bad', 'bad');
  clock.advance(10);
  await change('good', 'good');
  clock.advance(2_001);
  let isRefused = true;

  startRelay(async (messages) => {
    if (isRefused && messages.some(({ id }) => id === 'bad')) throw new Error('too large');
    await publish(messages);
  });

  await waitFor('the good one is published', () => withoutOutbox('good'));
  isRefused = false;
  clock.advance(2_001);
  await waitFor('the other one is published', () => withoutOutbox('bad'));
  expect(sent).toEqual(['good', 'bad']);
});

test('pending work of an empty outbox ends', async () => {
  const { sent, publish } = openTopic();
  await refreshes.insertOne({ _id: 'marked', outboxWork: newWork(clock.now()) });
  clock.advance(2_001);

  startRelay(publish);

  await waitFor('it ends', () => withoutOutbox('marked'));
  expect(sent).toEqual([]);
});

test('ids that look like expressions of the store are plain ids', async () => {
  const { sent, publish } = openTopic();
  const relay = startRelay(publish);
  await change('r1', '$outboxWork', '$$ROOT', 'plain');

  await relay.flush('r1');

  expect(sent).toEqual(['$outboxWork', '$$ROOT', 'plain']);
  expect(await withoutOutbox('r1')).toBe(true);
});

test('undefined fields are not stored, and the active trace is', () => {
  const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

  const [stored, traced] = withTrace([
    { ...message('a'), waitingId: undefined, deadlineMs: undefined },
    { ...message('b'), waitingId: 'w', trace },
  ]);

  expect(Object.keys(stored ?? {}).toSorted()).toEqual(['body', 'id', 'trace', 'type']);
  expect(stored?.trace).toEqual({});
  expect(traced).toMatchObject({ waitingId: 'w', trace });
});
