import { checkOptions } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type {
  CallOptions,
  CurrentLookupOptions,
  CurrentPageOptions,
  Keyed,
  LivePageOptions,
} from './options.ts';
import { paidRead } from './paid-read.ts';
import { inventoryPath, withQuery } from './paths.ts';
import type { Success } from './read-answer.ts';
import { currentPageIn, dataOf, livePageIn } from './read-records.ts';
import type {
  CurrentPage,
  DescribedAsset,
  InventorySummary,
  LivePage,
  PageAnswer,
  Scope,
} from './records.ts';
import { walkAssets, walkPages } from './walk-pages.ts';

type AnyPageOptions = CurrentLookupOptions & LivePageOptions;
type Walk<Item> = AsyncGenerator<Item, void, void>;

/** Every page is charged once: a retry has the key of the first attempt. */
export interface PageCalls {
  /** Free: what is saved of an inventory, without its rows. */
  summary(scope: Scope, options?: CallOptions): Promise<InventorySummary>;
  /** One page; with `assetIds` the one of these assets, and `not_in_revision` names the others. */
  currentPage(
    scope: Scope,
    options?: Keyed<CurrentLookupOptions>,
  ): Promise<PageAnswer<CurrentPage>>;
  /** Pages of one saved revision: the latest one when the first page is read. */
  currentPages(scope: Scope, options?: CurrentPageOptions): Walk<PageAnswer<CurrentPage>>;
  currentAssets(scope: Scope, options?: CurrentPageOptions): Walk<DescribedAsset>;
  livePage(scope: Scope, options?: Keyed<LivePageOptions>): Promise<PageAnswer<LivePage>>;
  /** Pages read from the platform, each when the loop requests it. */
  livePages(scope: Scope, options?: LivePageOptions): Walk<PageAnswer<LivePage>>;
  liveAssets(scope: Scope, options?: LivePageOptions): Walk<DescribedAsset>;
}

export function createPageCalls(callApi: CallApi, { newKey }: ClientEnvironment): PageCalls {
  function readPage(path: string, options: Keyed<AnyPageOptions>): Promise<Success> {
    const { language, pageSize, capture, cursor, assetIds, descriptions } = options;
    const { idempotencyKey = newKey() } = options;
    const address = withQuery(path, {
      language,
      pageSize,
      capture: capture === undefined ? undefined : String(capture),
      cursor,
      assetid: assetIds,
      descriptions,
    });
    return callApi(paidRead(address, idempotencyKey), options);
  }

  const currentPage: PageCalls['currentPage'] = async (scope, options = {}) =>
    currentPageIn(await readPage(`${inventoryPath(scope)}/current`, options));

  const livePage: PageCalls['livePage'] = async (scope, options = {}) =>
    livePageIn(await readPage(inventoryPath(scope), options));

  const currentPages: PageCalls['currentPages'] = (scope, options = {}) =>
    walkPages(
      (cursor) => currentPage(scope, { ...pageOptions(options), cursor }),
      ({ page }) => page.pagination,
      options.cursor ?? null,
    );

  const livePages: PageCalls['livePages'] = (scope, options = {}) =>
    walkPages(
      (cursor) => livePage(scope, { ...pageOptions(options), cursor }),
      ({ page }) => page.pagination,
      options.cursor ?? null,
    );

  return {
    async summary(scope, options = {}) {
      const call = { method: 'GET', path: `${inventoryPath(scope)}/summary` } as const;
      return dataOf<InventorySummary>(await callApi(call, options), 'revision_id');
    },
    currentPage,
    currentPages,
    currentAssets: (scope, options) => walkAssets(currentPages(scope, options)),
    livePage,
    livePages,
    liveAssets: (scope, options) => walkAssets(livePages(scope, options)),
  };
}

/** The options of every page of an iteration; a key belongs to one page only. */
function pageOptions(options: AnyPageOptions): AnyPageOptions {
  checkOptions(options);
  const { language, pageSize, capture, descriptions, deadlineMs, signal } = options;
  if (options.assetIds !== undefined) throw new TypeError('assetIds is an option of currentPage.');
  return { language, pageSize, capture, descriptions, deadlineMs, signal };
}
