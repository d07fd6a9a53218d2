import type { MessageType } from '@inventory/contracts/messages';
import type { MessageBus } from '@inventory/messaging/bus';
import type { PendingReplies } from '@inventory/messaging/pending-replies';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { observeWaitingReplies } from './command-metrics.ts';
import type { Broadcasts } from './open-broadcasts.ts';
import { createRequestReplyClient, type RequestReplyClient } from './request-reply-client.ts';

export const replyTypes = [
  'reply.refresh-decision.v1',
  'reply.refresh-cancel.v1',
  'reply.billing-outcome.v1',
] as const satisfies readonly MessageType[];

/** Commands to other services, with the replies that this replica receives. */
export function openCommands(deps: {
  readonly bus: Pick<MessageBus, 'publish' | 'health'>;
  readonly broadcasts: Broadcasts;
  readonly lifetime: Pick<Lifetime, 'defer'>;
  /** Those that the broadcasts are filtered by. */
  readonly replies: PendingReplies;
}): RequestReplyClient {
  const { bus, broadcasts, lifetime, replies } = deps;
  broadcasts.on(replyTypes, replies.onMessage);
  lifetime.defer('replies', () => replies.stop());
  lifetime.defer(
    'metrics of replies',
    observeWaitingReplies(() => replies.waiting),
  );
  return createRequestReplyClient({ bus, replies });
}
