import { Refused } from '@inventory/http/refused';
import { defineRoute, type Route } from '../http/route.ts';
import { type AwaitRefreshDeps, awaitRefresh } from './await-refresh.ts';
import { refreshAnswer } from './refresh-answer.ts';
import { readRefreshEndpoint } from './refresh-endpoints.ts';

/** GET …/inventory-refreshes/{refresh_id}: free, for any active Credential of the Project. */
export function readRefreshRoute(deps: AwaitRefreshDeps): Route {
  return defineRoute({
    ...readRefreshEndpoint,
    async handle({ requestId, authority, signal }, { path, query }) {
      const { accountId, projectId } = authority;
      const refreshId = path.refresh_id;
      const wish = { accountId, projectId, refreshId, waitSeconds: query.wait, signal };
      const view = await awaitRefresh(deps, wish);
      if (view === null) throw new Refused({ code: 'refresh_not_found' });
      const { record, expected_completed_at } = view;
      const isPending = record.state !== 'completed';
      const data = isPending ? { ...record, expected_completed_at } : record;
      return refreshAnswer(200, requestId, view, data);
    },
  });
}
