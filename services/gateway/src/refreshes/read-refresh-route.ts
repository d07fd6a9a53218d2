import { refreshIdPath } from '@inventory/contracts/http/parameters';
import { refreshQuery, refreshStatus } from '@inventory/contracts/http/refresh';
import { Refused } from '@inventory/http/refused';
import { dataRoute } from '../http/data-route.ts';
import { queuedRecord } from '../http/openapi/examples.ts';
import { refreshLinks } from '../http/openapi/links.ts';
import type { RefreshServices } from './open-refreshes.ts';
import { awaitRefresh } from './read-refresh.ts';
import { retryAfterHeader, retryAfterText } from './refresh-response.ts';

/** GET …/inventory-refreshes/{refresh_id}: free, for any active Credential of the Project. */
export const readRefreshRoute = dataRoute({
  operationId: 'readRefresh',
  tag: 'Refreshes',
  summary: 'Refresh status',
  description:
    'Costs nothing and counts against the rate limit. With `wait` it responds when the refresh is ' +
    'terminal or the time is over, whichever is first. `expected_completed_at` is an estimate by ' +
    'the pages that wait and the pages a minute that can be read; it is null when unknown ' +
    'and absent once the refresh is terminal. Readable by any active Credential of the Project, ' +
    'for 30 days after it is completed.',
  method: 'GET',
  template: '/v2/platform/inventory-refreshes/{refresh_id}',
  input: { path: refreshIdPath, query: refreshQuery },
  response: {
    status: 200,
    description: 'The refresh as it is now.',
    links: refreshLinks('/data'),
    data: refreshStatus,
    example: { ...queuedRecord, expected_completed_at: '2026-01-15T10:00:20.000Z' },
    headers: { 'Retry-After': retryAfterText },
  },
  errors: ['refresh_not_found'],
  async handle(services: RefreshServices, { path, query }, { principal, signal }) {
    const { accountId, projectId } = principal;
    const wish = { ...path, accountId, projectId, waitSeconds: query.wait, signal };
    const view = await awaitRefresh(services, wish);
    if (view === null) throw new Refused({ code: 'refresh_not_found' });
    const { record, expectedCompletedAtMs } = view;
    const isPending = record.state !== 'completed';
    const data = isPending ? { ...record, expectedCompletedAtMs } : record;
    return { data, headers: retryAfterHeader(view.retryAfterSeconds) };
  },
});
