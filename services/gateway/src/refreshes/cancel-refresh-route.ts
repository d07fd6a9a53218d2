import { refreshIdPath } from '@inventory/contracts/http/parameters';
import { refreshRecord } from '@inventory/contracts/http/refresh';
import { dataRoute } from '../http/data-route.ts';
import { queuedRecord } from '../http/openapi/examples.ts';
import { refreshProduct } from './admit-refresh.ts';
import { type CancelRefreshDeps, cancelRefresh } from './cancel-refresh.ts';
import { retryAfterHeader, retryAfterText } from './refresh-answer.ts';

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
  answer: {
    status: 202,
    description: 'The cancel is accepted.',
    data: refreshRecord,
    example: { ...queuedRecord, state: 'settling' },
    headers: { 'Retry-After': retryAfterText },
  },
  errors: ['refresh_not_found', 'refresh_already_completed'],
  async handle(deps: CancelRefreshDeps, { path }, { requestId, principal }) {
    const view = await cancelRefresh(deps, {
      requestId,
      accountId: principal.accountId,
      projectId: principal.projectId,
      refreshId: path.refresh_id,
    });
    return { data: view.record, headers: retryAfterHeader(view.retry_after_seconds) };
  },
});
