import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import { BusOverloaded, type MessageBus, type OutgoingMessage } from '@inventory/messaging/bus';
import type { PendingReplies, ReplyReader } from '@inventory/messaging/pending-replies';
import { ZodError } from 'zod';

/** How this replica sends a command and hears the answer. */
export interface ReplyChannel {
  readonly bus: Pick<MessageBus, 'publish' | 'health'>;
  readonly replies: Pick<PendingReplies, 'expect' | 'waiting'>;
}

export type ReplyResult<Answer> =
  | { readonly result: 'reply'; readonly body: Answer }
  /** The command cannot have reached the topic: nothing happens anywhere. */
  | { readonly result: 'not_sent'; readonly cause: string }
  /** It may have been sent, or may still be: whatever it does is not known here. */
  | { readonly result: 'unknown'; readonly cause: unknown };

/** Takes the one type of reply that a command has. */
export function replyOf<Type extends MessageType>(type: Type): ReplyReader<MessageBody<Type>> {
  return (reply) => (reply.type === type ? (reply.body as MessageBody<Type>) : undefined);
}

/** Below the reply box's own cap, so that a full one is noticed before anything is sent. */
const waitingMax = 1_500;

/**
 * Sends a command and waits for its owner's reply. Only what is refused before it enters the
 * producer counts as not sent: after a failure of the producer itself an earlier try of it may
 * have been written, and a queued record may leave after the wait has ended.
 */
export async function requestReply<Answer>(
  channel: ReplyChannel,
  command: OutgoingMessage & { readonly waitingId: string },
  answerIn: ReplyReader<Answer>,
  timeoutMs: number,
): Promise<ReplyResult<Answer>> {
  const { bus, replies } = channel;
  if (replies.waiting >= waitingMax) return { result: 'not_sent', cause: 'too many wait' };
  if (!bus.health().ready) return { result: 'not_sent', cause: 'replies cannot be heard' };

  const replied = replies.expect(command.waitingId, timeoutMs, answerIn).then(
    (body): ReplyResult<Answer> => ({ result: 'reply', body }),
    (cause: unknown): ReplyResult<Answer> => ({ result: 'unknown', cause }),
  );
  const sent = bus.publish([command]).then(
    () => replied,
    (cause: unknown): ReplyResult<Answer> => {
      if (cause instanceof BusOverloaded) return { result: 'not_sent', cause: cause.name };
      if (cause instanceof ZodError) throw cause;
      return { result: 'unknown', cause };
    },
  );
  return Promise.race([replied, sent]);
}
