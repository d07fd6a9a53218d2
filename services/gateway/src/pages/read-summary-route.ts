import { scopePath } from '@inventory/contracts/http/parameters';
import { inventorySummary } from '@inventory/contracts/http/summary';
import { refreshState } from '@inventory/contracts/vocabulary';
import { dataRoute } from '../http/data-route.ts';
import { exampleIds, exampleScope } from '../http/openapi/examples.ts';
import { sameScope, sinceRevision } from '../http/openapi/links.ts';
import type { PageServices } from './open-pages.ts';
import { ageSecondsOf } from './page-response.ts';

const pending = refreshState.options.filter((state) => state !== 'completed');

/** GET …/summary: what is saved of an inventory, and whether the Project refreshes it; never its rows. */
export const readSummaryRoute = dataRoute({
  operationId: 'readSummary',
  tag: 'Inventories',
  summary: 'Summary',
  description:
    'What Current would read, without its rows: costs nothing and counts against the rate limit. ' +
    'For any Credential.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/summary',
  input: { path: scopePath },
  response: {
    status: 200,
    description: 'The latest saved revision.',
    links: {
      requestRefresh: sameScope,
      readCurrent: sameScope,
      readChanges: { ...sameScope, ...sinceRevision('/data') },
    },
    data: inventorySummary,
    example: {
      scope: exampleScope,
      revision_id: exampleIds.revision,
      observation_id: exampleIds.observation,
      verified_at: '2026-01-15T10:00:20.000Z',
      scan_window: {
        started_at: '2026-01-15T10:00:02.000Z',
        completed_at: '2026-01-15T10:00:20.000Z',
      },
      observed_by: 'refresh',
      language: 'english',
      total_count: 4_001,
      hidden_count: 0,
      description_count: 812,
      age_seconds: 61,
      pending_refresh: null,
    },
  },
  errors: ['inventory_revision_not_found'],
  async handle(services: PageServices, { path: scope }, { principal }) {
    const { storeReads, revisions, collector, clock } = services;
    const { accountId, projectId } = principal;
    const query = { state: pending, refreshId: [], outcome: [], ...scope, limit: 1 };
    const [saved, { items }] = await Promise.all([
      storeReads.run(accountId, () => revisions.readSummary(scope)),
      collector.listRefreshes(accountId, { path: { projectId }, query }),
    ]);
    const ageSeconds = ageSecondsOf(saved.verifiedAtMs, clock);
    return { data: { scope, ...saved, ageSeconds, pendingRefresh: items[0] ?? null } };
  },
});
