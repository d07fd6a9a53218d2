import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { StartedWorkKind } from '@inventory/work/start-worker';
import type { Pending, WorkQueue } from '@inventory/work/work-queue';
import { type RequestReplyClient, replyOf } from './request-reply-client.ts';

/** Commands that are sent until their outcome is received, also after a crash of this process. */
export interface PendingCommandKind<Item, Reply extends MessageType>
  extends Pick<StartedWorkKind<Item>, 'name' | 'slots' | 'again' | 'pollEveryMs'> {
  readonly queue: WorkQueue<Item>;
  /** The same command every time; only the correlation id differs. */
  readonly toMessage: (
    item: Item,
    waitingId: string,
  ) => OutgoingMessage & { readonly waitingId: string };
  readonly replyType: Reply;
  /**
   * Runs before the command is deleted; after a failure it is sent again. A number is the pause after
   * which it is sent again although it has a reply.
   */
  readonly onReply: (item: Item, reply: MessageBody<Reply>) => Promise<undefined | number>;
}

/** While nothing can be sent, or no reply received. */
const notSentPauseMs = 2_000;

/** Sends a claimed command, which is idempotent, and waits for its reply. */
export function commandWork<Item, Reply extends MessageType>(
  { toMessage, replyType, onReply, ...kind }: PendingCommandKind<Item, Reply>,
  {
    commands,
    deadlines,
  }: {
    readonly commands: RequestReplyClient;
    readonly deadlines: { readonly pendingReplyMs: number };
  },
): StartedWorkKind<Item> {
  return {
    ...kind,
    async work({ id, item, tries }: Pending<Item>) {
      const message = toMessage(item, `${replyType}:${id}:${tries}`);
      const reply = await commands.request(message, replyOf(replyType), deadlines.pendingReplyMs);
      if (reply.result === 'not_sent') return notSentPauseMs;
      if (reply.result === 'unknown') return 'later';
      return (await onReply(item, reply.body)) ?? 'done';
    },
  };
}
