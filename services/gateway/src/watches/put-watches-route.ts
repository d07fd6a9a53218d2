import { projectPath } from '@inventory/contracts/http/parameters';
import {
  type WatchBatchResult,
  watchBatchBody,
  watchBatchBytesMax,
  watchBatchItem,
  watchBatchResults,
} from '@inventory/contracts/http/watches';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { z } from 'zod';
import { itemRefusal, type ReadItem, readBatchItem, refusedItem } from '../http/batch-items.ts';
import { dataRoute } from '../http/data-route.ts';
import { rateLimitHeaders, takeBatch } from '../http/limits/limit-rate.ts';
import { exampleScope } from '../http/openapi/examples.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { batchConcurrencyMax, runItems } from '../http/run-batch.ts';
import { buyerOf } from '../tenancy/principal.domain.ts';
import { putWatch } from './manage-watches.ts';
import type { WatchServices } from './open-watches.ts';
import { watchExample, watchesTemplate, watchOperation } from './watch-operation.ts';
import { watchViewOf } from './watch-view.ts';

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
  response: {
    status: 200,
    description: 'A result or an error for each item.',
    data: watchBatchResults,
    example: {
      items: [{ result: 'accepted', success: true, status: 201, data: watchExample }],
    },
  },
  errors: [],
  async handle(services: WatchServices, { body: { items: values, dryRun: isDryRun } }, request) {
    const rateLimit = await takeBatch(services.limiter, request, values);
    const wanted = values.map((value, index) =>
      readBatchItem(watchBatchItem, value, index, request),
    );
    const items = await runItems(wanted, {
      keyOf: keyOfItem,
      concurrencyMax: batchConcurrencyMax,
      beginWithinMs: services.deadlines.batchMs,
      run: (read) => putItem(services, request, read, isDryRun),
      late: () => refusedItem({ code: 'service_unavailable', retry_after_seconds: 1 }),
    });
    return { data: { items }, headers: rateLimitHeaders(rateLimit) };
  },
});

type ReadWatch = ReadItem<z.output<typeof watchBatchItem>>;

/** Items of one inventory are put in their order. */
const keyOfItem = (read: ReadWatch) =>
  read.result === 'refused' ? '' : inventoryKeyText(read.item);

async function putItem(
  services: WatchServices,
  request: AdmittedRequest,
  read: ReadWatch,
  isDryRun: boolean,
): Promise<WatchBatchResult> {
  if (read.result === 'refused') return refusedItem(read.refusal);
  const { platform_id, app_id, context_id, ...settings } = read.item;
  const scope = { platform_id, app_id, context_id };
  try {
    const prices = await services.prices.readPrices();
    const wanted = { ...settings, ...buyerOf(request.principal), scope };
    const { watch, status, isStored } = await putWatch(services, wanted, isDryRun);
    const view = watchViewOf(watch, prices);
    const data = isStored ? view : { ...view, watchId: null };
    return { result: 'accepted', success: true, status, data };
  } catch (failure) {
    return refusedItem(itemRefusal(failure, request, services.logger));
  }
}
