import { scopePath } from '@inventory/contracts/http/parameters';
import {
  type LivePageMeta,
  livePageMeta,
  livePageMetaHeader,
  livePagePath,
  livePageQuery,
  timeLeftHeader,
} from '@inventory/contracts/internal/live-page';
import type { LivePageRefusal } from '@inventory/contracts/refusal';
import type { EndCheckResult } from '@inventory/contracts/vocabulary';
import { internalRoute } from '@inventory/http/internal-route';
import { Refused } from '@inventory/http/refused';
import { Reply } from '@inventory/http/reply';
import { z } from 'zod';
import { type PlatformPage, pageMembers } from '../platform/platform-page.domain.ts';
import { fetchLivePage } from './fetch-live-page.ts';
import type { LivePageOutcome } from './live-page.domain.ts';
import type { LivePages } from './open-live-pages.ts';

const largeAssetsMin = 100;

/** One page of the platform as bytes that are ready to be sent, or why there is none. */
export const livePageRoute = internalRoute({
  method: 'GET',
  template: livePagePath,
  callers: ['gateway'],
  input: {
    path: scopePath,
    query: livePageQuery,
    header: z.object({ [timeLeftHeader]: z.coerce.number().int().min(1) }),
  },
  async handle(livePages: LivePages, { path: scope, query, header }, { signal }) {
    const timeLeftMs = header[timeLeftHeader];
    if (timeLeftMs > livePages.waitMaxMs) {
      const issue = { in: 'header', field: timeLeftHeader, reason: 'is too long' } as const;
      throw new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
    }
    const request = {
      accountId: query.accountId,
      scope,
      language: query.language,
      count: query.count,
      startAssetId: query.startAssetid ?? null,
      ...previousStart(query.previousStartAssetid),
      timeLeftMs,
    };
    const read = await fetchLivePage(livePages, request, signal);
    if (read.result !== 'page') throw new Refused(await refusalOf(livePages, read, scope.app_id));
    const { page, endCheck } = read;
    const form = query.form === 'v1' ? 'without_properties' : 'with_properties';
    const write = () => pageMembers(page, form);
    const body =
      page.assets.length < largeAssetsMin
        ? write()
        : await livePages.egress.executor.enqueue(write);
    return new Reply({
      headers: {
        [livePageMetaHeader]: JSON.stringify(z.encode(livePageMeta, metaOf(page, endCheck))),
      },
      type: 'application/octet-stream',
      body,
    });
  },
});

/** Empty for the first page. */
const previousStart = (assetid: string | undefined) =>
  assetid === undefined ? {} : { previousStartAssetId: assetid === '' ? null : assetid };

async function refusalOf(
  livePages: LivePages,
  read: Exclude<LivePageOutcome, { result: 'page' }>,
  appId: number,
): Promise<LivePageRefusal> {
  const retryAfterSeconds = () => livePages.retryAfterSeconds(read, appId);
  switch (read.result) {
    case 'private':
    case 'not_found':
      return { code: `inventory_${read.result}` };
    case 'concurrency_limit':
      return limitExceeded('concurrency', livePages.accountReadsMax, await retryAfterSeconds());
    case 'abandoned_limit':
      return limitExceeded('abandoned_reads', livePages.abandonedMax, await retryAfterSeconds());
    case 'failed': {
      const { failure } = read;
      const retry_after_seconds = await retryAfterSeconds();
      if (failure === 'timeout') return { code: 'upstream_timeout', retry_after_seconds };
      return { code: 'upstream_unavailable', detail: { reason: failure }, retry_after_seconds };
    }
  }
}

function limitExceeded(
  limit: 'concurrency' | 'abandoned_reads',
  reads_max: number,
  retry_after_seconds: number,
): LivePageRefusal {
  return { code: 'rate_limit_exceeded', detail: { limit, reads_max }, retry_after_seconds };
}

function metaOf(page: PlatformPage, endCheck: EndCheckResult | null): LivePageMeta {
  return {
    totalCount: page.reportedTotalCount,
    assetCount: page.assets.length,
    nextStartAssetid: page.more ? page.lastAssetId : null,
    endCheck,
  };
}
