import type { CancelRequest } from '@inventory/contracts/messages/refresh';
import type { Logger } from '@inventory/runtime/logger';
import type { PendingCommandKind } from '../commands/command-work.ts';
import { cancelsAcknowledged } from '../metrics.ts';
import { work } from '../work.ts';

type Cancels = PendingCommandKind<CancelRequest, 'reply.refresh-cancel.v1'>;

/**
 * Attempts with an unknown outcome and without a key. Any outcome of the cancel shows that the
 * attempt can no longer become a refresh.
 */
export function pendingCancels(queue: Cancels['queue'], logger: Logger): Cancels {
  return {
    ...work.cancels,
    queue,
    replyType: 'reply.refresh-cancel.v1',
    toMessage: cancelMessage,
    async onReply({ refreshId }, { result }) {
      cancelsAcknowledged.add(1, { result });
      logger.info({ refreshId, result }, 'cancel of an undecided attempt acknowledged');
      return undefined;
    },
  };
}

/** What cancels a refresh; who waits for its outcome has a correlation id of its own. */
export function cancelMessage(body: CancelRequest, waitingId: string) {
  return { type: 'refresh.cancel.v1', id: `cancel:${body.refreshId}`, waitingId, body } as const;
}
