import {
  type LivePageForm,
  livePageMeta,
  livePageMetaHeader,
  livePageQuery,
  timeLeftHeader,
} from '@inventory/contracts/internal/live-page';
import type { LivePageRefusal } from '@inventory/contracts/refusal';
import { scope } from '@inventory/contracts/scope';
import { Refused } from '@inventory/http/refused';
import type { SerialExecutor } from '@inventory/runtime/serial-executor';
import type Router from '@koa/router';
import { z } from 'zod';
import type { PageAsset, PlatformPage } from '../egress/platform-page.domain.ts';
import type { LivePageOutcome } from './live-page.domain.ts';
import type { LivePageRequest } from './read-live-page.ts';

export interface LivePageRoutes {
  readonly read: (request: LivePageRequest, signal: AbortSignal) => Promise<LivePageOutcome>;
  readonly retryAfterSeconds: (outcome: LivePageOutcome, appId: number) => Promise<number>;
  /** Serializes large pages. */
  readonly executor: SerialExecutor;
  readonly waitMaxMs: number;
}

const largeAssetsMin = 100;

/** GET /inventories/{platform_id}/{app_id}/{context_id}/live-page: the page as bytes to be sent. */
export function addLivePageRoutes(router: Router, routes: LivePageRoutes): void {
  const timeLeft = z.coerce.number().int().min(1).max(routes.waitMaxMs);
  const template = '/inventories/:platform_id/:app_id/:context_id/live-page';
  router.get(template, async (context) => {
    const { platform_id, app_id, context_id } = context.params;
    const of = scope.parse({
      platform_id,
      app_id: Number(app_id),
      context_id: Number(context_id),
    });
    const query = livePageQuery.parse(context.query);
    const closed = new AbortController();
    context.res.once('close', () => closed.abort());
    const request = {
      accountId: query.account_id,
      scope: of,
      language: query.language,
      count: query.count,
      startAssetId: query.start_assetid ?? null,
      timeLeftMs: timeLeft.parse(context.get(timeLeftHeader)),
    };
    const read = await routes.read(request, closed.signal);
    if (read.result !== 'page') throw new Refused(await refusalOf(routes, read, of.app_id));
    const { page } = read;
    const write = () => membersOf(page, query.form);
    const members =
      page.assets.length < largeAssetsMin ? write() : await routes.executor.enqueue(write);
    context.set(livePageMetaHeader, JSON.stringify(toWireMeta(page)));
    context.type = 'application/octet-stream';
    context.body = members;
  });
}

async function refusalOf(
  routes: LivePageRoutes,
  read: Exclude<LivePageOutcome, { result: 'page' }>,
  appId: number,
): Promise<LivePageRefusal> {
  if (read.result !== 'failed') return { code: `inventory_${read.result}` };
  const retry_after_seconds = await routes.retryAfterSeconds(read, appId);
  const { failure } = read;
  if (failure === 'timeout') return { code: 'upstream_timeout', retry_after_seconds };
  return { code: 'upstream_unavailable', detail: { reason: failure }, retry_after_seconds };
}

function toWireMeta(page: PlatformPage) {
  return livePageMeta.parse({
    total_count: page.reportedTotalCount,
    asset_count: page.assets.length,
    next_start_assetid: page.more ? page.lastAssetId : null,
  });
}

/** The bytes that a scan stages, without the braces around them. */
function membersOf({ assets, descriptions }: PlatformPage, form: LivePageForm): Buffer {
  const shown = form === 'v1' ? assets.map(withoutProperties) : assets;
  return Buffer.from(JSON.stringify({ assets: shown, descriptions }).slice(1, -1));
}

function withoutProperties(asset: PageAsset): PageAsset {
  const { asset_properties: _properties, asset_accessories: _accessories, ...fields } = asset;
  // The compiler does not see that no required field was removed: a row has an index signature.
  return fields as PageAsset;
}
