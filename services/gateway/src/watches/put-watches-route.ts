import { projectPath } from '@inventory/contracts/http/parameters';
import {
  type WatchBatchResult,
  watchBatchBody,
  watchBatchBytesMax,
  watchBatchItem,
  watchBatchResults,
} from '@inventory/contracts/http/watches';
import type { Logger } from '@inventory/runtime/logger';
import type { AdmittedRequest } from '../http/answer.ts';
import { itemRefusal, readBatchItem, refusedItem } from '../http/batch-items.ts';
import { dataRoute } from '../http/data-route.ts';
import { rateLimitHeaders, takeBatch } from '../http/limit-rate.ts';
import type { TrafficLimiter } from '../http/limit-traffic.ts';
import { exampleScope } from '../http/openapi/examples.ts';
import { putWatch } from './manage-watches.ts';
import {
  type WatchRoutesDeps,
  watchExample,
  watchesTemplate,
  watchOperation,
} from './watch-operation.ts';
import { toWireWatch } from './watch-view.ts';

type Deps = WatchRoutesDeps & { readonly limiter: TrafficLimiter; readonly logger: Logger };

/** POST …/watches/batch: many watches, each put on its own. */
export const putWatchesRoute = dataRoute({
  ...watchOperation,
  operationId: 'putWatches',
  summary: 'Watch many inventories',
  description:
    'Up to 100 watches, each put on its own, with a result of its own in the order of the request; ' +
    'an invalid item is refused alone. Counts one request per item against the rate limit.',
  method: 'POST',
  template: `${watchesTemplate}/batch`,
  input: { path: projectPath, body: watchBatchBody },
  bodyBytesMax: watchBatchBytesMax,
  bodyExample: { items: [{ ...exampleScope, every_seconds: 3_600 }], dry_run: true },
  answer: {
    status: 200,
    description: 'A result or an error for each item.',
    data: watchBatchResults,
    example: {
      items: [{ result: 'accepted', success: true, status: 201, data: watchExample }],
    },
  },
  errors: [],
  async handle(deps: Deps, { body: { items: values, dry_run: isDryRun } }, request) {
    const rateLimit = await takeBatch(deps.limiter, request, values.length);
    const items: WatchBatchResult[] = [];
    // One after the other: of two at the same time both may find the last place taken.
    for (const [index, value] of values.entries()) {
      items.push(await putItem(deps, request, { value, index, isDryRun }));
    }
    return { data: { items }, headers: rateLimitHeaders(rateLimit) };
  },
});

async function putItem(
  deps: Deps,
  request: AdmittedRequest,
  { value, index, isDryRun }: { value: unknown; index: number; isDryRun: boolean },
): Promise<WatchBatchResult> {
  const read = readBatchItem(watchBatchItem, value, index);
  if (read.result === 'refused') return refusedItem(read.refusal);
  const { platform_id, app_id, context_id, ...settings } = read.item;
  const scope = { platform_id, app_id, context_id };
  const { accountId, projectId } = request.principal;
  try {
    const prices = await deps.prices.readPrices();
    const wanted = { ...settings, accountId, projectId, scope };
    const { watch, status, isStored } = await putWatch(deps, wanted, isDryRun);
    const view = toWireWatch(watch, prices);
    const data = isStored ? view : { ...view, watch_id: null };
    return { result: 'accepted', success: true, status, data };
  } catch (failure) {
    return refusedItem(itemRefusal(failure, request, deps.logger));
  }
}
