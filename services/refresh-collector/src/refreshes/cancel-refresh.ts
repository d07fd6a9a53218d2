import type { AccountId, ProjectId, RefreshId } from '@inventory/contracts/ids';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { cancelledPlaceholder } from './admit-refresh.ts';
import { applyFact, type SagaDeps } from './apply-fact.ts';

export interface CancelRequest {
  readonly id: RefreshId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly waitingId: string | null;
  readonly trace: TraceCarrier;
}

export type CancelResult = 'cancelling' | 'already_completed' | 'not_found';

/**
 * Cancels as far as that is still possible and replies where a reply is awaited. An unknown refresh
 * is stored as a cancelled placeholder: a request that is delivered later is refused by it.
 */
export async function cancelRefresh(deps: SagaDeps, request: CancelRequest): Promise<CancelResult> {
  const result = await cancel(deps, request);
  if (request.waitingId !== null) {
    await deps.publish([
      {
        type: 'reply.refresh-cancel.v1',
        id: `cancel-decision:${request.id}`,
        body: { waiting_id: request.waitingId, refresh_id: request.id, result },
      },
    ]);
  }
  return result;
}

async function cancel(deps: SagaDeps, request: CancelRequest): Promise<CancelResult> {
  const { refreshes, clock } = deps;
  const stored = await refreshes.findRefresh(request.id);
  if (!stored) {
    const inserted = await refreshes.insertRefresh(
      cancelledPlaceholder(request, clock.now()),
      request.trace,
    );
    // Not inserted: the request was stored meanwhile, and is cancelled like any other.
    return inserted ? 'not_found' : cancel(deps, request);
  }
  if (stored.refresh.projectId !== request.projectId) return 'not_found';
  const applied = await applyFact(deps, request.id, { fact: 'cancel_requested' }, 'resend');
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
