import {
  currentPage,
  currentPageBefore,
  currentPageTail,
  currentQuery,
} from '@inventory/contracts/http/current';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { scopePath } from '@inventory/contracts/http/parameters';
import { type CurrentPageMeta, packedPageBeginning } from '@inventory/contracts/internal/inventory';
import { type ContentCoding, pageAssetsMax } from '@inventory/contracts/vocabulary';
import { bytesOf } from '@inventory/http/byte-parts';
import { packEnd } from '@inventory/http/packed-body';
import { unpack } from '@inventory/runtime/packed-bytes';
import { z } from 'zod';
import type { ChainOwner } from '../captures/capture.domain.ts';
import {
  exampleCursor,
  exampleIds,
  exampleRows,
  exampleScope,
  pageMetaExample,
} from '../http/openapi/examples.ts';
import { nextPart, sameScope, sinceRevision } from '../http/openapi/links.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { publicRoute } from '../http/public-route.ts';
import { buyerOf } from '../tenancy/principal.domain.ts';
import { type KeyedRead, type ReadKey, readKeyed } from './keyed-reads.ts';
import type { PageServices } from './open-pages.ts';
import { openCurrentCursor, sealCurrentCursor } from './page-cursors.ts';
import {
  ageSecondsOf,
  type BilledPage,
  pageMeta,
  respondWithPage,
  toLanguageHeaders,
  type WrittenPage,
} from './page-response.ts';
import { keyHeader, languageHeaders, readErrors, replayedHeader } from './page-texts.ts';
import type { SavedPage, WantedSavedPage } from './revision-store-client.ts';

const product = 'platform.inventory.current.page.v1';

/** GET …/current: one page of the saved inventory; the platform is not contacted. */
export const readCurrentRoute = publicRoute({
  operationId: 'readCurrent',
  tag: 'Inventories',
  summary: 'Current',
  description:
    'One page of the latest saved complete inventory; the platform is not contacted. Pages of a ' +
    'chain are of one revision, whatever is saved meanwhile. With `assetid`, up to 100 times, the ' +
    'page is these assets in the order given, and `not_in_revision` the others. ' +
    '`total_amount` is exact and may ' +
    'exceed 2^53. An inventory is kept for 180 days after it was last observed.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/current',
  permission: product,
  product,
  countedBeside: true,
  input: { path: scopePath, query: currentQuery, header: keyHeader },
  response: {
    status: 200,
    description: 'The page. Its charge is final once it is delivered.',
    links: {
      readCurrent: { ...sameScope, ...nextPart() },
      readChanges: { ...sameScope, ...sinceRevision('/data') },
      exportCurrent: sameScope,
      readLivePage: sameScope,
    },
    body: { data: currentPage, meta: pageReadMeta },
    example: {
      success: true,
      data: {
        scope: exampleScope,
        revision_id: exampleIds.revision,
        observation_id: exampleIds.observation,
        verified_at: '2026-01-15T10:00:20.000Z',
        age_seconds: 61,
        scan_window: {
          started_at: '2026-01-15T10:00:02.000Z',
          completed_at: '2026-01-15T10:00:20.000Z',
        },
        ...exampleRows,
        total_count: 4_001,
        total_amount: 4_180,
        reported_total_count: 4_001,
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: { ...pageMetaExample, product_code: product },
    },
    headers: { ...languageHeaders, ...replayedHeader },
  },
  errors: ['invalid_cursor', 'cursor_expired', 'inventory_revision_not_found', ...readErrors],
  async handle(services: PageServices, { path: scope, query, header }, request) {
    const { accountId } = request.principal;
    const chain = { accountId, scope, language: query.language };
    const { language, pageSize = pageAssetsMax, cursor = null } = query;
    const from = cursor === null ? null : openCurrentCursor(services.cursors, chain, cursor);
    const { descriptions, assetid: assetIds } = query;
    const key = header['Idempotency-Key'];
    const inputs = [...Object.values(scope), language, pageSize, cursor, descriptions, ...assetIds];
    const read = await readCurrent(
      services,
      request,
      { scope, language, pageSize, descriptions, assetIds, coding: request.acceptedCoding(), from },
      key === undefined ? null : { route: 'current', key, inputs },
    );
    const terms = { priceVersion: services.prices.currentVersion() };
    return await respondWithPage(read, terms, (billed) => write(services, request, chain, billed));
  },
});

function write(
  { cursors, clock }: PageServices,
  request: AdmittedRequest,
  chain: ChainOwner,
  { page, bill }: BilledPage<SavedPage>,
): WrittenPage {
  const saved = page.meta;
  const { revisionId, observationId, nextPosition: position } = saved;
  const frame = {
    page: saved,
    ageSeconds: ageSecondsOf(saved.verifiedAtMs, clock),
    nextCursor:
      position === null
        ? null
        : sealCurrentCursor(cursors, chain, { revisionId, observationId, position }),
    meta: pageMeta(request, product, bill),
  };
  const { coding, body } = currentBody(frame, page, request.acceptedCoding());
  return {
    headers: {
      ...toLanguageHeaders(saved.language),
      ...(coding && { 'Content-Encoding': coding }),
    },
    body,
  };
}

type CurrentRead = KeyedRead<SavedPage>;

/** One page of the saved inventory; the platform is not contacted. */
function readCurrent(
  services: PageServices,
  { requestId, principal, counted, hold }: AdmittedRequest,
  wanted: WantedSavedPage,
  key: ReadKey | null,
): Promise<CurrentRead> {
  const { accountId } = principal;
  async function fetchPage() {
    const page = await services.storeReads.run(accountId, () =>
      services.revisions.findPage(wanted),
    );
    if (page !== null) return { result: 'page', page, bytes: bytesSent(page, wanted) } as const;
    // Nothing is saved, or the revision of the chain no longer is.
    const code = wanted.from === null ? 'inventory_revision_not_found' : 'cursor_expired';
    return { result: 'refused', refusal: { code } } as const;
  }
  const buyer = buyerOf(principal);
  const read = { requestId, ...buyer, productCode: product, chainId: null } as const;
  return readKeyed<SavedPage>(services, { ...read, counted, hold }, key, {
    paid: fetchPage,
    replayed: fetchPage,
  });
}

/** It is unpacked for a client that does not accept how it is packed. */
function bytesSent({ meta: { packed }, parts }: SavedPage, { coding }: WantedSavedPage): number {
  return packed === null || packed.coding === coding ? bytesOf(parts) : packed.rawBytes;
}

/** A Current page without its assets and descriptions. */
interface CurrentFrame {
  readonly page: CurrentPageMeta;
  readonly ageSeconds: number;
  readonly nextCursor: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * The response, in parts: the rows as they were saved, never parsed, and every value of the request after
 * them, so that what was packed once serves every request. It is unpacked, in one piece, for a client
 * that does not accept how it is packed. `total_amount` is written digit by digit: it may exceed what
 * a number holds.
 */
export function currentBody(
  frame: CurrentFrame,
  { parts, meta: { packed } }: SavedPage,
  accepted: ContentCoding | null,
): { readonly coding: ContentCoding | null; readonly body: readonly Buffer[] } {
  const end = Buffer.from(endOf(frame));
  if (packed === null) {
    return { coding: null, body: [Buffer.from(packedPageBeginning), ...parts, end] };
  }
  const { coding, rawBytes } = packed;
  const body = [...parts, packEnd(packed, end)];
  if (coding === accepted) return { coding, body };
  const whole = { packed: Buffer.concat(body), rawBytes: rawBytes + end.length };
  return { coding: null, body: [unpack(whole)] };
}

function endOf({ page, ageSeconds, nextCursor, meta }: CurrentFrame): string {
  const pagination = { hasMore: nextCursor !== null, nextCursor };
  const before = JSON.stringify(z.encode(currentPageBefore, { ...page, ageSeconds }));
  const tail = JSON.stringify(z.encode(currentPageTail, { ...page, pagination }));
  return (
    `,${before.slice(1, -1)},"total_amount":${page.totalAmount},${tail.slice(1)},` +
    `"meta":${JSON.stringify(meta)}}`
  );
}
