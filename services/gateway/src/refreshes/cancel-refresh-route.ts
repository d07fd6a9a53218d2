import { refreshIdPath } from '@inventory/contracts/http/parameters';
import { refreshRecord } from '@inventory/contracts/http/refresh';
import type { RequestId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { CancelRequest } from '@inventory/contracts/messages/refresh';
import { Refused } from '@inventory/http/refused';
import { unreachable } from '@inventory/runtime/bug';
import { replyOf } from '../commands/request-reply-client.ts';
import { dataRoute } from '../http/data-route.ts';
import { queuedRecord } from '../http/openapi/examples.ts';
import type { RefreshServices } from './open-refreshes.ts';
import { cancelMessage } from './pending-cancels.ts';
import { readRefresh } from './read-refresh.ts';
import { refreshProduct, retryAfterHeader, retryAfterText } from './refresh-response.ts';

/** POST …/inventory-refreshes/{refresh_id}/cancel: free, repeatable. */
export const cancelRefreshRoute = dataRoute({
  operationId: 'cancelRefresh',
  tag: 'Refreshes',
  summary: 'Cancel a refresh',
  description:
    'Free, repeatable. Once everything is collected the outcome may still be a complete one.',
  method: 'POST',
  template: '/v2/platform/inventory-refreshes/{refresh_id}/cancel',
  permission: refreshProduct,
  input: { path: refreshIdPath },
  response: {
    status: 202,
    description: 'The cancel is accepted.',
    data: refreshRecord,
    example: { ...queuedRecord, state: 'settling' },
    headers: { 'Retry-After': retryAfterText },
  },
  errors: ['refresh_not_found', 'refresh_already_completed'],
  async handle(services: RefreshServices, { path }, { requestId, principal }) {
    const { accountId, projectId } = principal;
    const requestedAtMs = services.clock.now();
    const cancel = { accountId, projectId, ...path, requestedAtMs };
    const view = await cancelRefresh(services, requestId, cancel);
    return { data: view.record, headers: retryAfterHeader(view.retryAfterSeconds) };
  },
});

/**
 * The refresh is read first, because a cancel of an unknown id would leave a tombstone in the
 * collector. Throws `refresh_not_found`, `refresh_already_completed` and, without an outcome in
 * time, `service_unavailable`.
 */
async function cancelRefresh(
  services: RefreshServices,
  requestId: RequestId,
  request: CancelRequest,
): Promise<RefreshView> {
  const { refreshId } = request;
  const view = await readRefresh(services.collector, request);
  if (view === null) throw new Refused({ code: 'refresh_not_found' });
  if (view.record.state === 'completed') throw new Refused({ code: 'refresh_already_completed' });
  const reply = await services.commands.request(
    // Two requests may cancel one refresh concurrently.
    cancelMessage(request, `cancel:${requestId}`),
    replyOf('reply.refresh-cancel.v1'),
    services.decisionTimeoutMs,
  );
  if (reply.result !== 'reply') {
    services.logger.warn({ cause: reply.cause, refreshId }, 'no outcome of a cancel');
    // A retry is safe.
    throw new Refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  }
  switch (reply.body.result) {
    case 'cancelling':
      return (await readRefresh(services.collector, request)) ?? view;
    case 'already_completed':
      throw new Refused({ code: 'refresh_already_completed' });
    case 'not_found':
      throw new Refused({ code: 'refresh_not_found' });
    default:
      return unreachable(reply.body.result);
  }
}
