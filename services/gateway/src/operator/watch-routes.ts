import { projectPath } from '@inventory/contracts/http/parameters';
import { watchRecord, watchScopePath } from '@inventory/contracts/http/watches';
import { watchState } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import { setOperatorPause } from '../watches/manage-watches.ts';
import { watchKeyOf } from '../watches/watch-store.ts';
import { watchRecordOf } from '../watches/watch-view.ts';
import { partsOf } from './list-by-id.ts';
import { operatorRoute } from './operator-route.ts';
import { emptyBody, listOf, listQuery } from './operator-schemas.ts';

const tag = 'Watches';
const all = '/projects/{project_id}/watches';
const one = `${all}/{platform_id}/{app_id}/{context_id}`;
const errors = ['watch_not_found'] as const;

/** Support for the watches of a customer: only customers put and delete them. */
export const operatorWatchRoutes = [
  operatorRoute({
    operationId: 'listWatches',
    command: 'watch list',
    columns: [
      'scope',
      'state',
      'paused_reason',
      'every_seconds',
      'next_refresh_at',
      'last_outcome',
    ],
    tag,
    summary: 'Watches of a Project, by inventory',
    method: 'GET',
    path: all,
    role: 'read',
    input: {
      path: projectPath,
      query: listQuery.extend({
        state: watchState
          .optional()
          .describe(
            'Only watches in this state; a pause by an operator counts from its next run on.',
          ),
      }),
    },
    response: listOf(watchRecord),
    errors: ['project_not_found', 'invalid_cursor'],
    async handle(services, { path: { projectId }, query: { limit, cursor, state } }) {
      await services.tenancy.requireProject(projectId);
      const parts = partsOf(services, 'watches', projectId);
      const part = { projectId, state, after: parts.begin(cursor), limit: limit + 1 };
      const found = await services.watches.listWatches(part);
      const { items, pagination } = parts.take(found, limit, ({ scope }) =>
        watchKeyOf(projectId, scope),
      );
      return { items: items.map(watchRecordOf), nextCursor: pagination.nextCursor };
    },
  }),
  operatorRoute({
    operationId: 'readWatch',
    command: 'watch show',
    tag,
    summary: 'One watch',
    method: 'GET',
    path: one,
    role: 'read',
    input: { path: watchScopePath },
    response: watchRecord,
    errors,
    async handle({ watches }, { path: { projectId, ...scope } }) {
      const found = await watches.findWatch(projectId, scope);
      if (found === null) throw new Refused({ code: 'watch_not_found' });
      return watchRecordOf(found);
    },
  }),
  operatorRoute({
    operationId: 'pauseWatch',
    command: 'watch pause',
    tag,
    summary: 'Make no further runs of a watch until it is resumed',
    description:
      'Whatever its customer puts. A run that is open ends as any refresh. The customer has the event ' +
      '`inventory.watch.paused` with the reason `operator_paused`.',
    method: 'POST',
    path: `${one}/pause`,
    role: 'support',
    action: 'watch.pause',
    input: { path: watchScopePath, body: emptyBody },
    response: watchRecord,
    errors,
    handle: async (services, { path: { projectId, ...scope } }) =>
      watchRecordOf(await setOperatorPause(services, { projectId, scope }, true)),
  }),
  operatorRoute({
    operationId: 'resumeWatch',
    command: 'watch resume',
    tag,
    summary: 'Let a watch run again that an operator paused',
    description: 'A pause for another reason lasts as long as its reason.',
    method: 'POST',
    path: `${one}/resume`,
    role: 'support',
    action: 'watch.resume',
    input: { path: watchScopePath, body: emptyBody },
    response: watchRecord,
    errors,
    handle: async (services, { path: { projectId, ...scope } }) =>
      watchRecordOf(await setOperatorPause(services, { projectId, scope }, false)),
  }),
];
