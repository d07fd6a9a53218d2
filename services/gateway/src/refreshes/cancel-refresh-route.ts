import { defineRoute, type Route } from '../http/route.ts';
import { type CancelRefreshDeps, cancelRefresh } from './cancel-refresh.ts';
import { refreshAnswer } from './refresh-answer.ts';
import { cancelRefreshEndpoint } from './refresh-endpoints.ts';

/** POST …/inventory-refreshes/{refresh_id}/cancel: free, repeatable. */
export function cancelRefreshRoute(deps: CancelRefreshDeps): Route {
  return defineRoute({
    ...cancelRefreshEndpoint,
    async handle({ requestId, authority }, { path }) {
      const view = await cancelRefresh(deps, {
        requestId,
        accountId: authority.accountId,
        projectId: authority.projectId,
        refreshId: path.refresh_id,
      });
      return refreshAnswer(202, requestId, view, view.record);
    },
  });
}
