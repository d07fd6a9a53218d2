import type { AccountId, ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { Refused } from '@inventory/http/refused';
import { unreachable } from '@inventory/runtime/bug';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type RequestReplyClient, replyOf } from '../commands/request-reply-client.ts';
import { readRefresh } from './read-refresh.ts';

export interface CancelRequest {
  readonly requestId: RequestId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly refreshId: RefreshId;
}

export interface CancelRefreshDeps {
  readonly commands: RequestReplyClient;
  readonly collector: { findRefresh(refreshId: RefreshId): Promise<RefreshView | null> };
  readonly clock: Clock;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
}

/**
 * The refresh is looked up first: a cancel of an unknown id would leave a tombstone with the
 * collector, and nobody may do that to an id of their choice. Throws `refresh_not_found`,
 * `refresh_already_completed` and, without an answer in time, `service_unavailable`.
 */
export async function cancelRefresh(
  deps: CancelRefreshDeps,
  request: CancelRequest,
): Promise<RefreshView> {
  const { projectId, refreshId } = request;
  const view = await readRefresh(deps, projectId, refreshId);
  if (view === null) throw new Refused({ code: 'refresh_not_found' });
  if (view.record.state === 'completed') throw new Refused({ code: 'refresh_already_completed' });
  const asked = await deps.commands.request(
    commandOf(deps, request),
    replyOf('reply.refresh-cancel.v1'),
    deps.decisionTimeoutMs,
  );
  if (asked.result !== 'reply') {
    deps.logger.warn({ cause: asked.cause, refresh_id: refreshId }, 'no answer to a cancel');
    // Asking again is safe.
    throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  }
  switch (asked.body.result) {
    case 'cancelling':
      return (await readRefresh(deps, projectId, refreshId)) ?? view;
    case 'already_completed':
      throw new Refused({ code: 'refresh_already_completed' });
    case 'not_found':
      throw new Refused({ code: 'refresh_not_found' });
    default:
      return unreachable(asked.body.result);
  }
}

/** Two requests may cancel one refresh at once: each waits under an id of its own. */
function commandOf(deps: CancelRefreshDeps, request: CancelRequest) {
  return {
    type: 'refresh.cancel.v1',
    id: `cancel:${request.refreshId}`,
    waitingId: `cancel:${request.requestId}`,
    body: {
      refresh_id: request.refreshId,
      account_id: request.accountId,
      project_id: request.projectId,
      requested_at: isoTime(deps.clock.now()),
    },
  } as const;
}
