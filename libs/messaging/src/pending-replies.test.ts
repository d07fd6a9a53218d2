import type { ReceivedMessage } from './bus.ts';
import {
  createPendingReplies,
  PendingRepliesFull,
  type ReplyReader,
  ReplyTimeout,
} from './pending-replies.ts';

function openReplies() {
  const replies = createPendingReplies();
  const reply = (waitingId: string, id = `reply:${waitingId}`) =>
    replies.onMessage({ type: 'reply.refresh-cancel.v1', key: waitingId, id } as ReceivedMessage);
  return { replies, reply };
}

const asItIs: ReplyReader<ReceivedMessage> = (reply) => reply;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a reply resolves its request; duplicates are dropped', async () => {
  const { replies, reply } = openReplies();
  const [first, second] = [
    replies.expect('one', 1_000, asItIs),
    replies.expect('two', 1_000, asItIs),
  ];

  reply('two', 'a');
  reply('two', 'repeated');
  reply('one', 'b');

  expect((await first).id).toBe('b');
  expect((await second).id).toBe('a');
  expect(replies.waiting).toBe(0);
  expect(jest.getTimerCount()).toBe(0);
});

test('a reply is expected from the request until its end', async () => {
  const { replies, reply } = openReplies();
  const waiting = replies.expect('one', 1_000, asItIs);
  const isExpected = () => ['one', 'two'].map((id) => replies.isExpected(id));
  const before = isExpected();

  reply('one');
  await waiting;

  expect([before, isExpected()]).toEqual([
    [true, false],
    [false, false],
  ]);
});

test('a reply for another replica is dropped', async () => {
  const { replies, reply } = openReplies();
  const waiting = replies.expect('mine', 1_000, asItIs);

  reply('of another replica');

  expect(replies.waiting).toBe(1);
  reply('mine');
  await waiting;
});

test('a reply of another type is dropped, and the request stays pending', async () => {
  const { replies, reply } = openReplies();
  const received = replies.expect('one', 1_000, ({ id }) =>
    id === 'expected' ? 'said' : undefined,
  );

  reply('one', 'something else');
  expect(replies.waiting).toBe(1);
  reply('one', 'expected');

  expect(await received).toBe('said');
});

test('no reply within the timeout rejects the request, and a late reply is dropped', async () => {
  const { replies, reply } = openReplies();
  const failure = expect(replies.expect('one', 1_000, asItIs)).rejects.toThrow(ReplyTimeout);

  await jest.advanceTimersByTimeAsync(999);
  expect(replies.waiting).toBe(1);
  await jest.advanceTimersByTimeAsync(1);

  await failure;
  expect(replies.waiting).toBe(0);
  reply('one');
  expect(replies.waiting).toBe(0);
});

test('more than 2,000 pending requests are refused at once, until one has its reply', async () => {
  const { replies, reply } = openReplies();
  for (let count = 0; count < 2_000; count += 1)
    void replies.expect(`wait-${count}`, 1_000, asItIs);

  await expect(replies.expect('one too many', 1_000, asItIs)).rejects.toThrow(PendingRepliesFull);
  expect(replies.waiting).toBe(2_000);
  reply('wait-7');

  void replies.expect('one too many', 1_000, asItIs);
  expect(replies.waiting).toBe(2_000);
  replies.stop();
});

test('a correlation id belongs to one request: a second wait would take the reply of the first', async () => {
  const { replies, reply } = openReplies();
  const first = replies.expect('same', 1_000, asItIs);

  await expect(replies.expect('same', 5_000, asItIs)).rejects.toThrow('belongs to one request');

  reply('same');
  expect((await first).id).toBe('reply:same');
});

test('stopping rejects every pending request: its outcome is unknown', async () => {
  const { replies } = openReplies();
  const failures = ['one', 'two'].map((id) =>
    expect(replies.expect(id, 60_000, asItIs)).rejects.toThrow(ReplyTimeout),
  );

  replies.stop();

  await Promise.all(failures);
  expect([replies.waiting, jest.getTimerCount()]).toEqual([0, 0]);
});

test('an abandoned request is not an unhandled rejection', async () => {
  const { replies } = openReplies();
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);

  void replies.expect('forgotten', 10, asItIs);
  await jest.advanceTimersByTimeAsync(10);
  jest.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));

  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
