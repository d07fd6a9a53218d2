import { plainMeta } from '@inventory/contracts/http/meta';
import { refreshIdPath } from '@inventory/contracts/http/parameters';
import { refreshRecord } from '@inventory/contracts/http/refresh';
import { plainMetaExample, queuedRecord } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { refreshProduct } from './admit-refresh.ts';
import { type CancelRefreshDeps, cancelRefresh } from './cancel-refresh.ts';
import { refreshAnswer, retryAfterText } from './refresh-answer.ts';

/** POST …/inventory-refreshes/{refresh_id}/cancel: free, repeatable. */
export const cancelRefreshRoute = publicRoute({
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
    body: { data: refreshRecord, meta: plainMeta },
    example: {
      success: true,
      data: { ...queuedRecord, state: 'settling' },
      meta: plainMetaExample,
    },
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
    return refreshAnswer(202, requestId, view, view.record);
  },
});
