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
  /** The same command every time; only the id under which the reply is awaited is new. */
  readonly toMessage: (
    command: Command,
    waitingId: string,
  ) => OutgoingMessage & { readonly waitingId: string };
  readonly replyType: Reply;
  /** Done before the command counts as settled; where it fails the command is sent again. */
  readonly onReply: (command: Command, reply: MessageBody<Reply>) => void | Promise<void>;
}

export interface ResendPendingCommandsDeps {
  readonly commands: RequestReplyClient;
  readonly clock: Clock;
  /** Name of this replica. */
  readonly replica: string;
  readonly deadlines: Pick<Deadlines, 'pendingReplyMs'>;
}

const batchMax = 50;
const concurrencyMax = 10;

/**
 * One round over what is due; true when there may be more. Each command is
 * 1. claimed by compare-and-set, which also moves its due time on: a crash after it leaves the
 *    command to whoever comes then;
 * 2. sent; a crash after it sends the same command again, which its owner answers again;
 * 3. removed once its owner's answer is seen, and only then.
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
    const asked = await deps.commands.request(message, replyOf(pending.replyType), pendingReplyMs);
    if (asked.result !== 'reply') return;
    await pending.onReply(command, asked.body);
    await pending.store.deleteCommand(command);
  });
  return due.length === batchMax;
}
