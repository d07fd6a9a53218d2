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
 * The refresh is read first, because a cancel of an unknown id would leave a tombstone in the
 * collector. Throws `refresh_not_found`, `refresh_already_completed` and, without an outcome in
 * time, `service_unavailable`.
 */
export async function cancelRefresh(
  deps: CancelRefreshDeps,
  request: CancelRequest,
): Promise<RefreshView> {
  const { projectId, refreshId } = request;
  const view = await readRefresh(deps.collector, projectId, refreshId);
  if (view === null) throw new Refused({ code: 'refresh_not_found' });
  if (view.record.state === 'completed') throw new Refused({ code: 'refresh_already_completed' });
  const reply = await deps.commands.request(
    commandOf(deps, request),
    replyOf('reply.refresh-cancel.v1'),
    deps.decisionTimeoutMs,
  );
  if (reply.result !== 'reply') {
    deps.logger.warn({ cause: reply.cause, refresh_id: refreshId }, 'no outcome of a cancel');
    // A retry is safe.
    throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  }
  switch (reply.body.result) {
    case 'cancelling':
      return (await readRefresh(deps.collector, projectId, refreshId)) ?? view;
    case 'already_completed':
      throw new Refused({ code: 'refresh_already_completed' });
    case 'not_found':
      throw new Refused({ code: 'refresh_not_found' });
    default:
      return unreachable(reply.body.result);
  }
}

/** Two requests may cancel one refresh concurrently: each has a correlation id of its own. */
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
