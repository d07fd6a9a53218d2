import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import { BusOverloaded, type MessageBus, type OutgoingMessage } from '@inventory/messaging/bus';
import type { ReplyBox } from '@inventory/messaging/reply-box';
import { invariant } from '@inventory/runtime/bug';

/** How this replica sends a command and hears the answer. */
export interface ReplyChannel {
  readonly bus: Pick<MessageBus, 'publish' | 'health'>;
  readonly replies: Pick<ReplyBox, 'expect' | 'waiting'>;
}

export type Asked<Reply extends MessageType> =
  | { readonly result: 'reply'; readonly body: MessageBody<Reply> }
  /** The command cannot have reached the topic: nothing happens anywhere. */
  | { readonly result: 'not_sent'; readonly cause: string }
  /** It may have been sent, or may still be: whatever it does is not known here. */
  | { readonly result: 'unknown'; readonly cause: unknown };

/** Below the reply box's own cap, so that a full one is noticed before anything is sent. */
const waitingMax = 1_500;

/**
 * Sends a command and waits for its owner's reply. Only what is refused before it enters the
 * producer counts as not sent: after a failure of the producer itself an earlier try of it may
 * have been written, and a queued record may leave after the wait has ended.
 */
export async function askOwner<Reply extends MessageType>(
  channel: ReplyChannel,
  command: OutgoingMessage & { readonly waitingId: string },
  replyType: Reply,
  timeoutMs: number,
): Promise<Asked<Reply>> {
  const { bus, replies } = channel;
  if (replies.waiting >= waitingMax) return { result: 'not_sent', cause: 'too many wait' };
  if (!bus.health().ready) return { result: 'not_sent', cause: 'replies cannot be heard' };

  const replied = replies.expect(command.waitingId, timeoutMs).then(
    (message): Asked<Reply> => {
      invariant(message.type === replyType, `${command.type} answered by ${message.type}`);
      return { result: 'reply', body: message.body as MessageBody<Reply> };
    },
    (cause: unknown): Asked<Reply> => ({ result: 'unknown', cause }),
  );
  const sent = bus.publish([command]).then(
    () => replied,
    (cause: unknown): Asked<Reply> => {
      if (cause instanceof BusOverloaded) return { result: 'not_sent', cause: cause.name };
      if (cause instanceof Error && cause.name === 'ZodError') throw cause;
      return { result: 'unknown', cause };
    },
  );
  return Promise.race([replied, sent]);
}
