import { checkOptions } from './arguments.ts';
import { errorIn, sendBatch } from './batch-items.ts';
import type { CallApi } from './call-api.ts';
import { NotFoundError } from './errors.ts';
import type {
  CallOptions,
  ListWatchesOptions,
  WatchBatchOptions,
  WatchItem,
  WatchOptions,
  WatchRunsOptions,
} from './options.ts';
import { checkedScope, watchesPath, watchPath, withQuery } from './paths.ts';
import { type Fields, fieldsIn } from './read-answer.ts';
import { dataOf, itemsIn, unexpected } from './read-records.ts';
import type { Meta, Scope, Watch, WatchResult, WatchRun, WatchTest } from './records.ts';
import { walkItems } from './walk-pages.ts';

/** All of these calls are free; each run of a watch costs by what it finds. */
export interface WatchCalls {
  /** Watches an inventory, or changes how; with `dryRun` nothing is stored. */
  watch(projectId: string, scope: Scope, options: WatchOptions): Promise<Watch>;
  /**
   * Up to 100 watches, each put on its own: one result for each, in order. Rejects only where the batch
   * as a whole was refused.
   */
  watchBatch(
    projectId: string,
    items: readonly WatchItem[],
    options?: WatchBatchOptions,
  ): Promise<WatchResult[]>;
  /** Sends a signed sample of the event of a run to the webhook endpoints of the Project. */
  testWatches(projectId: string, options?: CallOptions): Promise<WatchTest>;
  readWatch(projectId: string, scope: Scope, options?: CallOptions): Promise<Watch>;
  deleteWatch(projectId: string, scope: Scope, options?: CallOptions): Promise<void>;
  /** All of a Project's watches, by inventory. */
  watches(projectId: string, options?: ListWatchesOptions): AsyncGenerator<Watch, void, void>;
  /** The runs of a watch, newest first. */
  watchRuns(
    projectId: string,
    scope: Scope,
    options?: WatchRunsOptions,
  ): AsyncGenerator<WatchRun, void, void>;
}

export function createWatchCalls(callApi: CallApi): WatchCalls {
  const get = (path: string, options: CallOptions) => callApi({ method: 'GET', path }, options);
  const watchIn = (success: Parameters<typeof dataOf>[0]) => dataOf<Watch>(success, 'watch_id');

  return {
    async watch(projectId, scope, options) {
      const { everySeconds, language, maxCreditsPerDay, dryRun } = options;
      const body = { everySeconds, language, maxCreditsPerDay, dryRun };
      const call = { method: 'PUT', path: watchPath(projectId, scope), body } as const;
      return watchIn(await callApi(call, options));
    },
    async watchBatch(projectId, items, options = {}) {
      const path = `${watchesPath(projectId)}/batch`;
      const { dryRun } = options;
      return sendBatch<WatchItem, CheckedItem, WatchResult>({
        items,
        check: checkedItem,
        send: (checked) =>
          callApi({ method: 'POST', path, body: { items: checked, dryRun } }, options),
        readResult: resultIn,
        refuse: (_item, error) => ({ accepted: false, error }),
      });
    },
    async testWatches(projectId, options = {}) {
      const call = { method: 'POST', path: `${watchesPath(projectId)}/test` } as const;
      return dataOf<WatchTest>(await callApi(call, options), 'event_id');
    },
    readWatch: async (projectId, scope, options = {}) =>
      watchIn(await get(watchPath(projectId, scope), options)),
    async deleteWatch(projectId, scope, options = {}) {
      const call = { method: 'DELETE', path: watchPath(projectId, scope) } as const;
      let uncertain = false;
      try {
        await callApi(call, options, () => {
          uncertain = true;
        });
      } catch (error) {
        // One whose response was lost has deleted it.
        if (!uncertain || !(error instanceof NotFoundError)) throw error;
      }
    },
    watches(projectId, options = {}) {
      const { state, limit, cursor: start } = options;
      return walkItems(async (cursor) => {
        const path = withQuery(watchesPath(projectId), { state, limit, cursor });
        return itemsIn<Watch>(await get(path, options));
      }, start);
    },
    watchRuns(projectId, scope, options = {}) {
      const { charged, limit, cursor: start } = options;
      return walkItems(async (cursor) => {
        const path = withQuery(`${watchPath(projectId, scope)}/runs`, {
          charged: charged === undefined ? undefined : String(charged),
          limit,
          cursor,
        });
        return itemsIn<WatchRun>(await get(path, options));
      }, start);
    },
  };
}

type CheckedItem = ReturnType<typeof checkedItem>;

function checkedItem(item: WatchItem) {
  const { scope, ...wanted } = item ?? {};
  checkOptions(wanted, ['everySeconds']);
  const { everySeconds, language, maxCreditsPerDay } = wanted;
  return { ...checkedScope(scope), everySeconds, language, maxCreditsPerDay };
}

function resultIn(
  fields: Fields,
  { platform_id, app_id, context_id }: CheckedItem,
  meta: Meta,
): WatchResult {
  if (fields['success'] !== true) {
    const item = `${platform_id}/${app_id}/${context_id}`;
    return { accepted: false, error: errorIn(fields, item, meta) };
  }
  const data = fieldsIn(fields['data']);
  if (data?.['scope'] === undefined) throw unexpected('data');
  return { accepted: true, watch: data as Watch };
}
