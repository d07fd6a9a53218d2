import type { BroadcastConsumer, MessageBus, ReceivedMessage } from './bus.ts';
import {
  createPendingReplies,
  PendingRepliesFull,
  type ReplyReader,
  ReplyTimeout,
} from './pending-replies.ts';

/** A bus of which only the reader matters: the test plays the replies. */
async function openBox() {
  let reader: BroadcastConsumer | undefined;
  let stopped = false;
  const bus = {
    broadcast: async (consumer: BroadcastConsumer) => {
      reader = consumer;
      return {
        stop: async () => {
          stopped = true;
        },
      };
    },
  };
  const box = await createPendingReplies(bus as unknown as MessageBus, 'gateway');
  const reply = (waitingId: string, id = `reply:${waitingId}`) =>
    reader?.onMessage({ type: 'reply.refresh-cancel.v1', key: waitingId, id } as ReceivedMessage);
  return { box, reply, stopped: () => stopped };
}

const asItIs: ReplyReader<ReceivedMessage> = (reply) => reply;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a reply goes to whoever waits for it, and its repetitions to nobody', async () => {
  const { box, reply } = await openBox();
  const [first, second] = [box.expect('one', 1_000, asItIs), box.expect('two', 1_000, asItIs)];

  reply('two', 'a');
  reply('two', 'repeated');
  reply('one', 'b');

  expect((await first).id).toBe('b');
  expect((await second).id).toBe('a');
  expect(box.waiting).toBe(0);
  expect(jest.getTimerCount()).toBe(0);
});

test('a foreign reply is dropped', async () => {
  const { box, reply } = await openBox();
  const waiting = box.expect('mine', 1_000, asItIs);

  reply('of another replica');

  expect(box.waiting).toBe(1);
  reply('mine');
  await waiting;
});

test('a reply that is no answer to the request is dropped, and the wait goes on', async () => {
  const { box, reply } = await openBox();
  const answer = box.expect('one', 1_000, ({ id }) => (id === 'answer' ? 'said' : undefined));

  reply('one', 'something else');
  expect(box.waiting).toBe(1);
  reply('one', 'answer');

  expect(await answer).toBe('said');
});

test('no reply within the deadline is a timeout, and a late one is dropped', async () => {
  const { box, reply } = await openBox();
  const failure = expect(box.expect('one', 1_000, asItIs)).rejects.toThrow(ReplyTimeout);

  await jest.advanceTimersByTimeAsync(999);
  expect(box.waiting).toBe(1);
  await jest.advanceTimersByTimeAsync(1);

  await failure;
  expect(box.waiting).toBe(0);
  reply('one');
  expect(box.waiting).toBe(0);
});

test('more than 2,000 waiting requests are refused at once, until one is answered', async () => {
  const { box, reply } = await openBox();
  for (let count = 0; count < 2_000; count += 1) void box.expect(`wait-${count}`, 1_000, asItIs);

  await expect(box.expect('one too many', 1_000, asItIs)).rejects.toThrow(PendingRepliesFull);
  expect(box.waiting).toBe(2_000);
  reply('wait-7');

  void box.expect('one too many', 1_000, asItIs);
  expect(box.waiting).toBe(2_000);
  await box.stop();
});

test('one id is waited for once: a second wait would steal the reply of the first', async () => {
  const { box, reply } = await openBox();
  const first = box.expect('same', 1_000, asItIs);

  await expect(box.expect('same', 5_000, asItIs)).rejects.toThrow('waited for by one request only');

  reply('same');
  expect((await first).id).toBe('reply:same');
});

test('stopping tells everybody who waits that the outcome is unknown', async () => {
  const { box, stopped } = await openBox();
  const failures = ['one', 'two'].map((id) =>
    expect(box.expect(id, 60_000, asItIs)).rejects.toThrow(ReplyTimeout),
  );

  await box.stop();

  await Promise.all(failures);
  expect([box.waiting, jest.getTimerCount(), stopped()]).toEqual([0, 0, true]);
});

test('a wait that nobody looks at any more does not count as an unhandled rejection', async () => {
  const { box } = await openBox();
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);

  void box.expect('forgotten', 10, asItIs);
  await jest.advanceTimersByTimeAsync(10);
  jest.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));

  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
