import { isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { CommandKind } from '../commands/command-work.ts';
import { work } from '../work.ts';
import type { PendingCancel } from './pending-cancel-store.ts';
import { pendingCancelAcknowledged } from './refresh-metrics.ts';

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
    toMessage: (cancel, waitingId) => ({
      type: 'refresh.cancel.v1',
      id: `cancel:${cancel.refreshId}`,
      waitingId,
      body: {
        refresh_id: cancel.refreshId,
        account_id: cancel.accountId,
        project_id: cancel.projectId,
        requested_at: isoTime(cancel.requestedAtMs),
      },
    }),
    async onReply({ refreshId: refresh_id }, { result }) {
      pendingCancelAcknowledged(result);
      logger.info({ refresh_id, result }, 'cancel of an undecided attempt acknowledged');
      return undefined;
    },
  };
}
