import { isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { PendingCommands } from '../commands/resend-pending-commands.ts';
import { pendingCancelAcknowledged } from '../metrics.ts';
import type { PendingCancel } from './pending-cancel-store.ts';

type Cancels = PendingCommands<PendingCancel, 'reply.refresh-cancel.v1'>;

/**
 * Attempts with an unknown outcome and without a key. Any outcome of the cancel shows that the
 * attempt can no longer become a refresh.
 */
export function pendingCancels(store: Cancels['store'], logger: Logger): Cancels {
  return {
    store,
    replyType: 'reply.refresh-cancel.v1',
    toMessage: (cancel, waitingId) => ({
      type: 'refresh.cancel.v1',
      id: `cancel:${cancel.id}`,
      waitingId,
      body: {
        refresh_id: cancel.id,
        account_id: cancel.accountId,
        project_id: cancel.projectId,
        requested_at: isoTime(cancel.requestedAtMs),
      },
    }),
    onReply(cancel, { result }) {
      pendingCancelAcknowledged(result);
      logger.info({ refresh_id: cancel.id, result }, 'cancel of an undecided attempt acknowledged');
    },
  };
}
