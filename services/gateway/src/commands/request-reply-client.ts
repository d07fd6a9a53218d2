import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import { BusOverloaded, type MessageBus, type OutgoingMessage } from '@inventory/messaging/bus';
import type { PendingReplies, ReplyReader } from '@inventory/messaging/pending-replies';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { ZodError } from 'zod';
import { waitingReplies } from '../metrics.ts';
import type { Broadcasts } from './open-broadcasts.ts';

export type ReplyResult<Reply> =
  | { readonly result: 'reply'; readonly body: Reply }
  /** The command cannot have reached the topic: it has no effect anywhere. */
  | { readonly result: 'not_sent'; readonly cause: string }
  /** The command may have been sent, or may be sent later; its effect is unknown. */
  | { readonly result: 'unknown'; readonly cause: unknown };

/** Reads the one type of reply that a command has. */
export function replyOf<Type extends MessageType>(type: Type): ReplyReader<MessageBody<Type>> {
  return (reply) => (reply.type === type ? (reply.body as MessageBody<Type>) : undefined);
}

export const replyTypes = [
  'reply.refresh-decision.v1',
  'reply.refresh-cancel.v1',
  'reply.billing-outcome.v1',
] as const satisfies readonly MessageType[];

/** Commands to other services, with the replies that this replica receives. */
export function openCommands(deps: {
  readonly bus: MessageBus;
  readonly broadcasts: Broadcasts;
  readonly lifetime: Lifetime;
  /** Those that the broadcasts are filtered by. */
  readonly replies: PendingReplies;
}): RequestReplyClient {
  const { bus, broadcasts, lifetime, replies } = deps;
  broadcasts.on(replyTypes, replies.onMessage);
  lifetime.defer('replies', () => replies.stop());
  lifetime.defer(
    'metrics of replies',
    waitingReplies.observe((observe) => observe(replies.waiting)),
  );
  return createRequestReplyClient({ bus, replies });
}

/** Below the limit of pending replies, so that the limit is noticed before anything is sent. */
const waitingMax = 1_500;

export type RequestReplyClient = ReturnType<typeof createRequestReplyClient>;

/**
 * Sends commands to other services over Kafka and waits for their replies.
 *
 * Only what is refused before it enters the producer counts as not sent: after a failure of the
 * producer an earlier attempt may have been written, and a queued record may be sent after the
 * timeout.
 */
export function createRequestReplyClient({
  bus,
  replies,
}: {
  readonly bus: MessageBus;
  readonly replies: PendingReplies;
}) {
  function refusal(): string | null {
    if (replies.waiting >= waitingMax) return 'too many pending replies';
    return bus.health().ready ? null : 'replies cannot be received';
  }

  return {
    /**
     * Resolves with the reply, or at `timeoutMs` without one. `waitingId` is the correlation id of
     * this request alone. Rejects where the command breaks its contract.
     */
    async request<Reply>(
      command: OutgoingMessage & { readonly waitingId: string },
      replyIn: ReplyReader<Reply>,
      timeoutMs: number,
    ): Promise<ReplyResult<Reply>> {
      const refused = refusal();
      if (refused !== null) return { result: 'not_sent', cause: refused };
      const replied = replies.expect(command.waitingId, timeoutMs, replyIn).then(
        (body): ReplyResult<Reply> => ({ result: 'reply', body }),
        (cause: unknown): ReplyResult<Reply> => ({ result: 'unknown', cause }),
      );
      const sent = bus.publish([command]).then(
        () => replied,
        (cause: unknown): ReplyResult<Reply> => {
          if (cause instanceof BusOverloaded) return { result: 'not_sent', cause: cause.name };
          if (cause instanceof ZodError) throw cause;
          return { result: 'unknown', cause };
        },
      );
      return Promise.race([replied, sent]);
    },
  };
}
