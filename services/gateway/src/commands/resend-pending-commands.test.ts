import type { OutgoingMessage, ReceivedMessage } from '@inventory/messaging/bus';
import { type ReplyReader, ReplyTimeout } from '@inventory/messaging/pending-replies';
import { createLogger } from '@inventory/runtime/logger';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { PendingCancel } from '../refreshes/pending-cancel-store.ts';
import { pendingCancels } from '../refreshes/pending-cancels.ts';
import { createRequestReplyClient } from './request-reply-client.ts';
import { resendPendingCommands } from './resend-pending-commands.ts';

const deadlines = { pendingReplyMs: 600_000 };
const logger = createLogger({ service: 'test', level: 'silent' });

function createStore(count: number) {
  const commands = new Map<string, PendingCancel>();
  for (let index = 0; index < count; index += 1) {
    const id = newRefreshId();
    const accountId = newAccountId();
    const projectId = newProjectId();
    commands.set(id, { id, accountId, projectId, requestedAtMs: 0, dueAtMs: 0, epoch: 0 });
  }
  return {
    commands,
    findDueCommands: async (nowMs: number, limit: number) =>
      [...commands.values()].filter(({ dueAtMs }) => dueAtMs <= nowMs).slice(0, limit),
    async claimCommand(command: PendingCancel, _replica: string, untilMs: number) {
      if (commands.get(command.id)?.epoch !== command.epoch) return false;
      commands.set(command.id, { ...command, dueAtMs: untilMs, epoch: command.epoch + 1 });
      return true;
    },
    deleteCommand: async (command: PendingCancel) => void commands.delete(command.id),
  };
}

/** A collector that receives every command, and replies while `answers` is set. */
function createCollector() {
  const collector = { sent: [] as OutgoingMessage[], answers: true };
  const commands = createRequestReplyClient({
    bus: {
      health: () => ({ ready: true, alive: true, problems: [] }),
      publish: async (messages) => void collector.sent.push(...messages),
    },
    replies: {
      waiting: 0,
      async expect<Answer>(waitingId: string, _timeoutMs: number, answerIn: ReplyReader<Answer>) {
        if (!collector.answers) throw new ReplyTimeout('silent');
        const body = { waiting_id: waitingId, refresh_id: newRefreshId(), result: 'not_found' };
        const answer = answerIn({ type: 'reply.refresh-cancel.v1', body } as ReceivedMessage);
        if (answer === undefined) throw new Error('another type of reply');
        return answer;
      },
    },
  });
  return { collector, commands };
}

test('a command is sent again until its owner answers, and then no more', async () => {
  const clock = createTestClock();
  const store = createStore(1);
  const { collector, commands } = createCollector();
  const pending = pendingCancels(store, logger);
  const round = () => resendPendingCommands({ commands, clock, replica: 'a', deadlines }, pending);
  collector.answers = false;

  await round();
  await round();
  expect(collector.sent).toHaveLength(1);
  clock.advance(10_000);
  await round();
  expect(collector.sent).toHaveLength(2);

  collector.answers = true;
  clock.advance(20_000);
  await round();
  clock.advance(20_000);
  await round();
  expect(collector.sent).toHaveLength(3);
  expect(store.commands.size).toBe(0);
  // The same command each time, under a new id for each reply.
  expect(new Set(collector.sent.map(({ id }) => id)).size).toBe(1);
  expect(new Set(collector.sent.map(({ waitingId }) => waitingId)).size).toBe(3);
});

test('replicas that sweep at once send each command once', async () => {
  const clock = createTestClock();
  const store = createStore(40);
  const { collector, commands } = createCollector();
  const pending = pendingCancels(store, logger);

  await Promise.all(
    ['a', 'b', 'c'].map((replica) =>
      resendPendingCommands({ commands, clock, replica, deadlines }, pending),
    ),
  );

  expect(collector.sent).toHaveLength(40);
  expect(store.commands.size).toBe(0);
});

test('a round says whether there is more than it took', async () => {
  const clock = createTestClock();
  const { commands } = createCollector();
  const pending = pendingCancels(createStore(60), logger);
  const round = () => resendPendingCommands({ commands, clock, replica: 'a', deadlines }, pending);

  expect(await round()).toBe(true);
  expect(await round()).toBe(false);
});
