import { checkOptions } from './arguments.ts';
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
import { fieldsIn } from './read-answer.ts';
import { dataOf, readItems, unexpected } from './read-records.ts';
import type { Scope, Watch, WatchResult, WatchRun } from './records.ts';
import { errorIn } from './refresh-batch.ts';
import { walkItems } from './walk-pages.ts';

/** All of these calls are free; each run of a watch costs by what it finds. */
export interface WatchCalls {
  /** Watches an inventory, or changes how; with `dryRun` nothing is stored. */
  watch(projectId: string, scope: Scope, options: WatchOptions): Promise<Watch>;
  /** Up to 100 watches, each put on its own: one result for each, in order. */
  watchBatch(
    projectId: string,
    items: readonly WatchItem[],
    options?: WatchBatchOptions,
  ): Promise<WatchResult[]>;
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
      const body = { ...wireWatch(options), dry_run: options.dryRun };
      const call = { method: 'PUT', path: watchPath(projectId, scope), body } as const;
      return watchIn(await callApi(call, options));
    },
    async watchBatch(projectId, items, options = {}) {
      if (!Array.isArray(items)) throw new TypeError('items must be an array.');
      const wire = items.map(({ scope, ...wanted }: WatchItem) => {
        checkOptions(wanted, ['everySeconds']);
        return { ...checkedScope(scope), ...wireWatch(wanted) };
      });
      const body = { items: wire, dry_run: options.dryRun };
      const path = `${watchesPath(projectId)}/batch`;
      const { data, meta } = await callApi({ method: 'POST', path, body }, options);
      const results: unknown = data['items'];
      if (!Array.isArray(results) || results.length !== wire.length) throw unexpected('items');
      return results.map((result, index) =>
        resultIn(fieldsIn(result) ?? {}, index, meta.request_id),
      );
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
        return readItems<Watch>(await get(path, options));
      }, start);
    },
    watchRuns(projectId, scope, options = {}) {
      const { charged, limit, cursor: start } = options;
      return walkItems(async (cursor) => {
        const path = withQuery(`${watchPath(projectId, scope)}/runs`, {
          charged: charged ? 'true' : undefined,
          limit,
          cursor,
        });
        return readItems<WatchRun>(await get(path, options));
      }, start);
    },
  };
}

function wireWatch({ everySeconds, language, maxCreditsPerDay }: Omit<WatchItem, 'scope'>) {
  return { every_seconds: everySeconds, language, max_credits_per_day: maxCreditsPerDay };
}

function resultIn(
  fields: Readonly<Record<string, unknown>>,
  index: number,
  requestId: string,
): WatchResult {
  if (fields['success'] !== true) {
    return { accepted: false, error: errorIn(fields, `item ${index}`, requestId) };
  }
  const data = fieldsIn(fields['data']);
  if (data?.['scope'] === undefined) throw unexpected('data');
  return { accepted: true, watch: data as Watch };
}
