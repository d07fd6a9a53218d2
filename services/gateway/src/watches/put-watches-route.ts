import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import {
  type WatchBatchResult,
  watchBatchBody,
  watchBatchBytesMax,
  watchBatchItem,
  watchBatchResults,
} from '@inventory/contracts/http/watches';
import type { PublicRefusal } from '@inventory/contracts/refusal-codes';
import { issueText } from '@inventory/http/issue-text';
import { errorOf, statusOf } from '@inventory/http/refused';
import { requestIssues } from '@inventory/http/validate-input';
import { type AdmittedRequest, envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { rateLimitHeaders, takeFurtherRequests } from '../http/limit-rate.ts';
import type { TrafficLimiter } from '../http/limit-traffic.ts';
import { exampleScope, plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { toPublicRefused } from '../http/to-refused.ts';
import { plannedWatch, putWatch } from './manage-watches.ts';
import {
  type WatchRoutesDeps,
  watchExample,
  watchesTemplate,
  watchPermission,
  watchTag,
} from './watch-operation.ts';
import { toWireWatch } from './watch-view.ts';

type Deps = WatchRoutesDeps & { readonly limiter: TrafficLimiter };

/** POST …/watches/batch: many watches, each put on its own. */
export const putWatchesRoute = publicRoute({
  operationId: 'putWatches',
  tag: watchTag,
  summary: 'Watch many inventories',
  description:
    'Up to 100 watches, each put on its own, with a result of its own in the order of the request; ' +
    'an invalid item is refused alone. Counts one request per item against the rate limit.',
  method: 'POST',
  template: `${watchesTemplate}/batch`,
  permission: watchPermission,
  input: { path: projectPath, body: watchBatchBody },
  bodyBytesMax: watchBatchBytesMax,
  bodyExample: { items: [{ ...exampleScope, every_seconds: 3_600 }], dry_run: true },
  answer: {
    status: 200,
    description: 'A result or an error for each item.',
    body: { data: watchBatchResults, meta: plainMeta },
    example: {
      success: true,
      data: { items: [{ success: true, status: 201, data: watchExample }] },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found'],
  async handle(deps: Deps, { path: { project_id: projectId }, body }, request) {
    const { principal, requestId } = request;
    requireOwnProject(principal, projectId);
    const further = body.items.length - 1;
    const rateLimit =
      further === 0
        ? request.rateLimit
        : await takeFurtherRequests(deps.limiter, principal, further);
    const items: WatchBatchResult[] = [];
    // One after the other: of two at the same time both may find the last place taken.
    for (const [index, item] of body.items.entries()) {
      items.push(await putItem(deps, request, { item, index, isDryRun: body.dry_run }));
    }
    return {
      status: 200,
      headers: rateLimitHeaders(rateLimit),
      body: envelope({ items }, { request_id: requestId }),
    };
  },
});

async function putItem(
  deps: Deps,
  { principal }: AdmittedRequest,
  { item, index, isDryRun }: { item: unknown; index: number; isDryRun: boolean },
): Promise<WatchBatchResult> {
  const { data, error } = watchBatchItem.safeParse(item, { error: issueText });
  if (data === undefined) {
    const issues = requestIssues('body', error, item, watchBatchItem).map(({ field, reason }) => ({
      in: 'body' as const,
      field: ['items', index, field].filter((part) => part !== '').join('.'),
      reason,
    }));
    return toRefusedItem({ code: 'invalid_request', detail: { issues } });
  }
  const { platform_id, app_id, context_id, ...settings } = data;
  const scope = { platform_id, app_id, context_id };
  const { accountId, projectId } = principal;
  const wanted = { ...settings, accountId, projectId, scope };
  try {
    const prices = await deps.prices.readPrices();
    if (isDryRun) {
      const { watch, read } = await plannedWatch(deps, wanted);
      const view = toWireWatch(watch, prices);
      const planned = read === null ? { ...view, watch_id: null } : view;
      return { success: true, status: 200, data: planned };
    }
    const { watch, isNew } = await putWatch(deps, wanted);
    return { success: true, status: isNew ? 201 : 200, data: toWireWatch(watch, prices) };
  } catch (failure) {
    return toRefusedItem(toPublicRefused(failure).refusal);
  }
}

function toRefusedItem(refusal: PublicRefusal): WatchBatchResult {
  return { success: false, status: statusOf(refusal), error: errorOf(refusal) };
}
