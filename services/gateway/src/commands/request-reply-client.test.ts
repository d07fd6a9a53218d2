import { BusOverloaded, type ReceivedMessage } from '@inventory/messaging/bus';
import { type ReplyReader, ReplyTimeout } from '@inventory/messaging/pending-replies';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { z } from 'zod';
import { createRequestReplyClient, replyOf } from './request-reply-client.ts';

const refreshId = newRefreshId();
const command = {
  type: 'refresh.cancel.v1',
  id: `cancel:${refreshId}`,
  waitingId: 'cancel:1',
  body: {
    refreshId,
    accountId: newAccountId(),
    projectId: newProjectId(),
    requestedAtMs: Date.UTC(2026, 0, 1),
  },
} as const;
const reply = {
  type: 'reply.refresh-cancel.v1',
  body: { waitingId: 'cancel:1', refreshId, result: 'cancelling' },
};
async function responded<Reply>(
  _waitingId: string,
  _timeoutMs: number,
  replyIn: ReplyReader<Reply>,
): Promise<Reply> {
  const response = replyIn(reply as ReceivedMessage);
  if (response === undefined) throw new Error('another type of reply');
  return response;
}
const never = new Promise<never>(() => undefined);

interface Conditions {
  published?: () => Promise<void>;
  replied?: typeof responded;
  waiting?: number;
  ready?: boolean;
}

async function request(given: Conditions) {
  const publish = jest.fn(given.published ?? (() => Promise.resolve()));
  const client = createRequestReplyClient({
    bus: only({
      publish,
      health: () => ({ ready: given.ready ?? true, alive: true, started: true, problems: [] }),
    }),
    replies: only({ expect: given.replied ?? responded, waiting: given.waiting ?? 0 }),
  });
  const result = await client.request(command, replyOf('reply.refresh-cancel.v1'), 50);
  return { result, sent: publish.mock.calls.length };
}

const timeout = () => Promise.reject(new ReplyTimeout('late'));

test('the reply is the result, even where the send is not acknowledged yet', async () => {
  expect((await request({})).result).toEqual({ result: 'reply', body: reply.body });
  expect((await request({ published: () => never })).result.result).toBe('reply');
});

test('nothing is sent while replies cannot be received, or too many are pending', async () => {
  expect(await request({ ready: false })).toMatchObject({
    result: { result: 'not_sent' },
    sent: 0,
  });
  expect(await request({ waiting: 1_500 })).toMatchObject({
    result: { result: 'not_sent' },
    sent: 0,
  });
});

test('a full producer has sent nothing', async () => {
  const published = () => Promise.reject(new BusOverloaded('refresh.commands.v1'));

  expect((await request({ published, replied: () => never })).result.result).toBe('not_sent');
});

test('after any other failure of the producer the record may be in the topic', async () => {
  const published = () => Promise.reject(new Error('connection lost'));

  expect((await request({ published, replied: () => never })).result.result).toBe('unknown');
});

test('no reply before the timeout is unknown, also while the record waits to be sent', async () => {
  expect((await request({ replied: timeout })).result.result).toBe('unknown');
  expect((await request({ replied: timeout, published: () => never })).result.result).toBe(
    'unknown',
  );
});

test('a command that breaks its contract is a programming error, not a result', async () => {
  const published = async () => void z.string().parse(7);

  await expect(request({ published, replied: () => never })).rejects.toThrow('expected string');
});
