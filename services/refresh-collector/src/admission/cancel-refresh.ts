import type { MessageBody } from '@inventory/contracts/messages';
import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import { applyFact } from '../saga/apply-fact.ts';
import { cancelledPlaceholder } from '../saga/new-refresh.domain.ts';
import type { Saga } from '../saga/open-saga.ts';

type Received = ReceivedMessageOf<'refresh.cancel.v1'>;
type CancelResult = MessageBody<'reply.refresh-cancel.v1'>['result'];

/**
 * Cancels as far as that is still possible and replies where a reply is awaited. An unknown refresh
 * is stored as a cancelled placeholder: a request that is delivered later is refused by it.
 */
export async function cancelRefresh(saga: Saga, received: Received): Promise<void> {
  const result = await cancel(saga, received);
  const { waitingId } = received;
  if (waitingId === undefined) return;
  const { refreshId } = received.body;
  const body = { waitingId, refreshId, result };
  await saga.publish([
    { type: 'reply.refresh-cancel.v1', id: `cancel-decision:${refreshId}`, body },
  ]);
}

async function cancel(saga: Saga, received: Received): Promise<CancelResult> {
  const { refreshes, clock } = saga;
  const { body: request, trace } = received;
  const stored = await refreshes.findRefresh(request.refreshId);
  if (!stored) {
    const placeholder = cancelledPlaceholder(request, trace, clock.now());
    const inserted = await refreshes.insertRefresh(placeholder);
    // Not inserted: the request was stored meanwhile, and is cancelled like any other.
    return inserted ? 'not_found' : cancel(saga, received);
  }
  if (stored.projectId !== request.projectId) return 'not_found';
  const applied = await applyFact(saga, request.refreshId, { fact: 'cancel_requested' }, 'resend');
  switch (applied?.refresh.phase) {
    case undefined:
    case 'refused':
      return 'not_found';
    case 'completed':
      return 'already_completed';
    default:
      return 'cancelling';
  }
}
