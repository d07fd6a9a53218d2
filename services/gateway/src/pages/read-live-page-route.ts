import { livePage, livePageEnd, livePageParameters } from '@inventory/contracts/http/live-page';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { scopePath } from '@inventory/contracts/http/parameters';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import { z } from 'zod';
import type { ChainOwner } from '../captures/capture.domain.ts';
import type { PageCapture } from '../captures/capture-page.ts';
import { type LiveChain, openLiveChain, withoutCapture } from '../captures/live-chain.domain.ts';
import { exampleCursor, exampleRows, pageMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameScope } from '../http/openapi/links.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { publicRoute } from '../http/public-route.ts';
import { type PageToWrite, respondWithLivePage } from './live-response.ts';
import type { PageServices } from './open-pages.ts';
import { openLiveCursor, sealLiveCursor } from './page-cursors.ts';
import { pageMeta, toLanguageHeaders } from './page-response.ts';
import {
  keyHeader,
  languageHeaders,
  platformErrors,
  readErrors,
  replayedHeader,
} from './page-texts.ts';
import { readLivePage } from './read-live-page.ts';

const product = 'platform.inventory.page.v1';

/** GET …/inventory/{app_id}/{context_id}: one page, read from the platform now. */
export const readLivePageRoute = publicRoute({
  operationId: 'readLivePage',
  tag: 'Inventories',
  summary: 'Live Page',
  description:
    'One page, read from the platform during the request. A complete chain of pages, read in ' +
    'order and within 10 minutes, is saved as a revision that Current reads.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}',
  permission: product,
  product,
  input: { path: scopePath, query: livePageParameters, header: keyHeader },
  response: {
    status: 200,
    description: 'The page. Its charge is final once it is delivered.',
    links: {
      readLivePage: { ...sameScope, ...nextPart() },
      requestRefresh: sameScope,
      readCurrent: sameScope,
    },
    body: { data: livePage, meta: pageReadMeta },
    example: {
      success: true,
      data: {
        ...exampleRows,
        total_count: 4_001,
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: { ...pageMetaExample, product_code: product },
    },
    headers: { ...languageHeaders, ...replayedHeader },
  },
  errors: ['invalid_cursor', 'cursor_expired', ...platformErrors, ...readErrors],
  async handle(services: PageServices, { path: scope, query, header }, request) {
    const { principal } = request;
    const { accountId } = principal;
    const { language } = query;
    const binding = { accountId, scope, language };
    const isWanted = query.capture === 'true';
    const mayCapture =
      isWanted && principal.captureEnabled && services.chains.supportsApp(scope.app_id);
    const opened = chainOf(services, binding, query.cursor);
    const chain = mayCapture ? opened : withoutCapture(opened);
    const key = header['Idempotency-Key'];
    const inputs = [...Object.values(scope), language, query.cursor ?? null];
    if (!isWanted) inputs.push('without capture');
    let inventoryEpoch: string | null = null;
    const before = services.chains.readEpoch(chain, scope).then((epoch) => {
      inventoryEpoch = epoch;
    });
    let beside: PageCapture | undefined;
    const read = await readLivePage(
      services,
      request,
      {
        chainId: chain.chainId,
        scope,
        language,
        form: 'v2',
        startAssetid: chain.startAssetid,
        previousStartAssetid: services.chains.endCheckStart(chain),
        signal: request.signal,
        key: key === undefined ? null : { route: 'live', key, inputs },
        before,
      },
      ({ meta, members }) => {
        beside = services.chains.beginPage({
          chain,
          owner: binding,
          inventoryEpoch,
          members,
          ...meta,
        });
      },
    );
    return await respondWithLivePage(read, services.prices.currentVersion(), async (page) => {
      invariant(beside !== undefined, 'a page that was read is a page of its chain');
      const after = await beside.conclude({ replayed: read.result === 'replayed' });
      const cursor = nextCursor(services, binding, after);
      return { headers: toLanguageHeaders(language), body: livePageBody(page, request, cursor) };
    });
  },
});

function chainOf(
  services: PageServices,
  binding: ChainOwner,
  cursor: string | undefined,
): LiveChain {
  const nowMs = services.clock.now();
  if (cursor === undefined) return openLiveChain(services.identifiers.uuidV7(), nowMs);
  const opened = openLiveCursor(services.cursors, binding, cursor);
  if (opened === null) throw new Refused({ code: 'invalid_cursor' });
  if (nowMs - opened.issuedAtMs > services.liveCursorAgeMaxMs) {
    throw new Refused({ code: 'cursor_expired' });
  }
  return opened.chain;
}

/** Null after the last page. */
function nextCursor(services: PageServices, binding: ChainOwner, chain: LiveChain): string | null {
  if (chain.startAssetid === null) return null;
  return sealLiveCursor(services.cursors, binding, chain, services.clock.now());
}

/** The envelope around the rows, whose bytes are sent in the parts that were received from the collector. */
function livePageBody(
  { page, bill }: PageToWrite,
  request: AdmittedRequest,
  cursor: string | null,
): readonly Buffer[] {
  const pagination = { hasMore: cursor !== null, nextCursor: cursor ?? undefined };
  const end = JSON.stringify(z.encode(livePageEnd, { ...page.meta, pagination }));
  return [
    Buffer.from('{"success":true,"data":{'),
    ...page.members,
    Buffer.from(`,${end.slice(1)},"meta":${JSON.stringify(pageMeta(request, product, bill))}}`),
  ];
}
