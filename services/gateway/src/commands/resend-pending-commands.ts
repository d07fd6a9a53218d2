import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { Deadlines } from '../deadlines.ts';
import { dueAgainAtMs, type PendingCommand } from './pending-command.domain.ts';
import { type RequestReplyClient, replyOf } from './request-reply-client.ts';

export interface PendingCommands<Command extends PendingCommand, Reply extends MessageType> {
  readonly store: {
    findDueCommands(nowMs: number, limit: number): Promise<Command[]>;
    claimCommand(command: Command, replica: string, untilMs: number): Promise<boolean>;
    deleteCommand(command: Command): Promise<void>;
  };
  /** The same command every time; only the correlation id differs. */
  readonly toMessage: (
    command: Command,
    waitingId: string,
  ) => OutgoingMessage & { readonly waitingId: string };
  readonly replyType: Reply;
  /** Runs before the command is deleted; after a failure the command is re-sent. */
  readonly onReply: (command: Command, reply: MessageBody<Reply>) => void | Promise<void>;
}

export interface ResendPendingCommandsDeps {
  readonly commands: RequestReplyClient;
  readonly clock: Clock;
  /** Id of this replica. */
  readonly replica: string;
  readonly deadlines: Pick<Deadlines, 'pendingReplyMs'>;
}

const batchMax = 50;
const concurrencyMax = 10;

/**
 * Re-sends the due commands; true when there may be more. Each command is
 * 1. claimed by compare-and-set, which also postpones its due time: after a crash another replica
 *    claims it then;
 * 2. sent; a crash after it sends the same command again, which is idempotent;
 * 3. deleted once its outcome is received, and only then.
 */
export async function resendPendingCommands<
  Command extends PendingCommand,
  Reply extends MessageType,
>(deps: ResendPendingCommandsDeps, pending: PendingCommands<Command, Reply>): Promise<boolean> {
  const due = await pending.store.findDueCommands(deps.clock.now(), batchMax);
  await forEachLimited(due, concurrencyMax, async (command) => {
    const untilMs = dueAgainAtMs(command, deps.clock.now());
    if (!(await pending.store.claimCommand(command, deps.replica, untilMs))) return;
    const waitingId = `${pending.replyType}:${command.id}:${command.epoch + 1}`;
    const message = pending.toMessage(command, waitingId);
    const { pendingReplyMs } = deps.deadlines;
    const reply = await deps.commands.request(message, replyOf(pending.replyType), pendingReplyMs);
    if (reply.result !== 'reply') return;
    await pending.onReply(command, reply.body);
    await pending.store.deleteCommand(command);
  });
  return due.length === batchMax;
}
