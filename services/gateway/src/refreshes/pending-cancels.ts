import { isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { CommandKind } from '../commands/command-work.ts';
import { cancelsAcknowledged } from '../metrics.ts';
import { work } from '../work.ts';
import type { PendingCancel } from './pending-cancel-store.ts';

type Cancels = CommandKind<PendingCancel, 'reply.refresh-cancel.v1'>;

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
    async onReply({ refreshId: refresh_id }, { result }) {
      cancelsAcknowledged.add(1, { result });
      logger.info({ refresh_id, result }, 'cancel of an undecided attempt acknowledged');
      return undefined;
    },
  };
}

/** What cancels a refresh; who waits for its outcome has a correlation id of its own. */
export function cancelMessage(
  { refreshId, accountId, projectId, requestedAtMs }: PendingCancel,
  waitingId: string,
) {
  return {
    type: 'refresh.cancel.v1',
    id: `cancel:${refreshId}`,
    waitingId,
    body: {
      refresh_id: refreshId,
      account_id: accountId,
      project_id: projectId,
      requested_at: isoTime(requestedAtMs),
    },
  } as const;
}
