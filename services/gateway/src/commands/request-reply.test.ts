import { BusOverloaded, type ReceivedMessage } from '@inventory/messaging/bus';
import { type ReplyReader, ReplyTimeout } from '@inventory/messaging/pending-replies';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { z } from 'zod';
import { type ReplyChannel, replyOf, requestReply } from './request-reply.ts';

const refreshId = newRefreshId();
const command = {
  type: 'refresh.cancel.v1',
  id: `cancel:${refreshId}`,
  waitingId: 'cancel:1',
  body: {
    refresh_id: refreshId,
    account_id: newAccountId(),
    project_id: newProjectId(),
    requested_at: '2026-01-01T00:00:00.000Z',
  },
} as const;
const reply = {
  type: 'reply.refresh-cancel.v1',
  body: { waiting_id: 'cancel:1', refresh_id: refreshId, result: 'cancelling' },
};
const answered = async (_waitingId: string, _timeoutMs: number, answerIn: ReplyReader<unknown>) =>
  answerIn(reply as ReceivedMessage);
const never = new Promise<never>(() => undefined);

interface Circumstances {
  published?: () => Promise<void>;
  replied?: typeof answered;
  waiting?: number;
  ready?: boolean;
}

async function ask(given: Circumstances) {
  const publish = jest.fn(given.published ?? (() => Promise.resolve()));
  const channel = {
    bus: { publish, health: () => ({ ready: given.ready ?? true, alive: true, problems: [] }) },
    replies: { expect: given.replied ?? answered, waiting: given.waiting ?? 0 },
  } as unknown as ReplyChannel;
  const result = await requestReply(channel, command, replyOf('reply.refresh-cancel.v1'), 50);
  return { result, sent: publish.mock.calls.length };
}

const timeout = () => Promise.reject(new ReplyTimeout('late'));

test('the reply is the answer, even where the send is not acknowledged yet', async () => {
  expect((await ask({})).result).toEqual({ result: 'reply', body: reply.body });
  expect((await ask({ published: () => never })).result.result).toBe('reply');
});

test('nothing is sent while replies could not be heard, or too many wait', async () => {
  expect(await ask({ ready: false })).toMatchObject({ result: { result: 'not_sent' }, sent: 0 });
  expect(await ask({ waiting: 1_500 })).toMatchObject({ result: { result: 'not_sent' }, sent: 0 });
});

test('a full producer has sent nothing', async () => {
  const published = () => Promise.reject(new BusOverloaded('refresh.commands.v1'));

  expect((await ask({ published, replied: () => never })).result.result).toBe('not_sent');
});

test('after any other failure of the producer the record may lie in the topic', async () => {
  const published = () => Promise.reject(new Error('connection lost'));

  expect((await ask({ published, replied: () => never })).result.result).toBe('unknown');
});

test('no reply in time is unknown, also when the record still waits to be sent', async () => {
  expect((await ask({ replied: timeout })).result.result).toBe('unknown');
  expect((await ask({ replied: timeout, published: () => never })).result.result).toBe('unknown');
});

test('a command that breaks its contract is a fault of ours, not an outcome', async () => {
  const published = async () => void z.string().parse(7);

  await expect(ask({ published, replied: () => never })).rejects.toThrow('expected string');
});
