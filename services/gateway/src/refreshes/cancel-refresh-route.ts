import { Refused } from '@inventory/http/refused';
import { unreachable } from '@inventory/runtime/bug';
import { defineRoute, type Route } from '../http/route.ts';
import { type CancelRefreshDeps, cancelRefresh } from './cancel-refresh.ts';
import { refreshAnswer } from './refresh-answer.ts';
import { cancelRefreshEndpoint } from './refresh-endpoints.ts';

const retryAfterSeconds = 1;

/** POST …/inventory-refreshes/{refresh_id}/cancel: free, repeatable. */
export function cancelRefreshRoute(deps: CancelRefreshDeps): Route {
  return defineRoute({
    ...cancelRefreshEndpoint,
    async handle({ requestId, authority }, { path }) {
      const decision = await cancelRefresh(deps, {
        requestId,
        accountId: authority.accountId,
        projectId: authority.projectId,
        refreshId: path.refresh_id,
      });
      switch (decision.result) {
        case 'cancelling':
          return refreshAnswer(202, requestId, decision.view, decision.view.record);
        case 'not_found':
          throw new Refused({ code: 'refresh_not_found' });
        case 'already_completed':
          throw new Refused({ code: 'refresh_already_completed' });
        case 'unavailable':
          throw new Refused({
            code: 'service_unavailable',
            retry_after_seconds: retryAfterSeconds,
          });
        default:
          return unreachable(decision);
      }
    },
  });
}
