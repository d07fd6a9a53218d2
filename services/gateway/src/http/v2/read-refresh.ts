import { refreshIdPath } from '@inventory/contracts/http/parameters';
import { type ReadRefreshDeps, readRefresh } from '../../operations/read-refresh.ts';
import { refuse } from '../refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { refreshAnswer } from './refresh-answer.ts';

/** GET …/inventory-refreshes/{refresh_id}: free, for any active Credential of the Project. */
export function readRefreshRoute(deps: ReadRefreshDeps): Route {
  return defineRoute({
    method: 'GET',
    template: '/v2/platform/inventory-refreshes/{refresh_id}',
    input: { path: refreshIdPath },
    async handle({ requestId, authority }, { path }) {
      const view = await readRefresh(deps, authority.projectId, path.refresh_id);
      if (view === null) throw refuse('refresh_not_found');
      return refreshAnswer(200, requestId, view);
    },
  });
}
