import { changesPage, changesPageEnd, changesQuery } from '@inventory/contracts/http/changes';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { scopePath } from '@inventory/contracts/http/parameters';
import { packedPageBeginning } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { ChangeCounts } from '@inventory/contracts/messages/revision';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import type { ChainOwner } from '../captures/capture.domain.ts';
import { changesExample, pageMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameScope } from '../http/openapi/links.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { publicRoute } from '../http/public-route.ts';
import { buyerOf } from '../tenancy/principal.domain.ts';
import { readKeyed } from './keyed-reads.ts';
import type { PageServices } from './open-pages.ts';
import { freeBill } from './page-bill.ts';
import type { FetchedPage } from './page-charges.ts';
import { openChangesCursor, sealChangesCursor } from './page-cursors.ts';
import {
  ageSecondsOf,
  type BilledPage,
  pageMeta,
  respondWithPage,
  toLanguageHeaders,
  type WrittenPage,
} from './page-response.ts';
import { keyHeader, languageHeaders, readErrors, replayedHeader } from './page-texts.ts';
import type { ChangesPageQuery, SavedChanges } from './revision-store-client.ts';

const product = 'platform.inventory.changes.page.v1';

/** GET …/changes: one page of what changed since a revision; the platform is not contacted. */
export const readChangesRoute = publicRoute({
  operationId: 'readChanges',
  tag: 'Inventories',
  summary: 'Changes',
  description:
    'One page of what changed between a revision that the client has and the latest one, in the ' +
    'order of `assetid`; what came and went again is not in it. Pages of a chain are of the same ' +
    'two revisions, whatever is saved meanwhile. No difference is one page without a row, free. ' +
    'Changes can be requested for 30 days longer than their revisions are kept; after that 410 ' +
    '`revision_expired` names the latest revision, to read anew. Priced as a page of Current.',
  method: 'GET',
  template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/changes',
  permission: 'platform.inventory.current.page.v1',
  product,
  input: { path: scopePath, query: changesQuery, header: keyHeader },
  response: {
    status: 200,
    description: 'The page. Its charge is final once it is delivered.',
    links: { readChanges: { ...sameScope, ...nextPart() }, readCurrent: sameScope },
    body: { data: changesPage, meta: pageReadMeta },
    example: {
      success: true,
      data: changesExample,
      meta: { ...pageMetaExample, product_code: product },
    },
    headers: { ...languageHeaders, ...replayedHeader },
  },
  errors: [
    'invalid_cursor',
    'cursor_expired',
    'revision_expired',
    'inventory_revision_not_found',
    ...readErrors,
  ],
  async handle(services: PageServices, { path: scope, query, header }, request) {
    const { requestId, hold, principal } = request;
    const { accountId } = principal;
    const { language, pageSize, cursor = null } = query;
    const chain = { accountId, scope, language };
    const from = cursor === null ? null : openChangesCursor(services.cursors, chain, cursor);
    const since = query.since ?? from?.since;
    if (since === undefined) throw missingSince();
    if (from !== null && since !== from.since) throw new Refused({ code: 'invalid_cursor' });
    const key = header['Idempotency-Key'];
    const inputs = [...Object.values(scope), since, language, pageSize, cursor];
    const unpinned = { revisionId: null, observationId: null, afterKey: null };
    const wanted = { ...unpinned, ...from, since, language, pageSize };
    const fetchPage = () =>
      services.storeReads.run(accountId, () => fetchChanges(services, scope, wanted));
    const read = await readKeyed<SavedChanges>(
      services,
      { requestId, ...buyerOf(principal), productCode: product, chainId: null, hold },
      key === undefined ? null : { route: 'changes', key, inputs },
      { paid: fetchPage, replayed: fetchPage },
    );
    const priceVersion = services.prices.currentVersion();
    const noChanges = async () =>
      freeBill(await services.ledger.readBalance(accountId), priceVersion, 'no_changes');
    const of = { chain, counts: from?.counts ?? null };
    return await respondWithPage(read, { priceVersion, freeBill: noChanges }, (billed) =>
      write(services, request, of, billed),
    );
  },
});

function missingSince(): Refused {
  const issue = { in: 'query', field: 'since', reason: 'is required without a cursor' } as const;
  return new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}

/** A first page without a change costs nothing. */
async function fetchChanges(
  { revisions }: PageServices,
  scope: InventoryKey,
  query: ChangesPageQuery,
): Promise<FetchedPage<SavedChanges>> {
  const found = await revisions.findChanges(scope, query).catch((error: unknown) => {
    if (error instanceof Refused) return error;
    throw error;
  });
  if (found instanceof Refused) return { result: 'refused', refusal: found.refusal };
  const { counts } = found.meta;
  const isEmpty = counts !== null && counts.added + counts.removed + counts.changed === 0;
  if (isEmpty) return { result: 'free', page: found };
  return { result: 'page', page: found, bytes: found.bytes.length };
}

/** Of the chain of a page; its counts are known from the second page on. */
interface ChainOfPage {
  readonly chain: ChainOwner;
  readonly counts: ChangeCounts | null;
}

/** The rows as they were saved, never parsed, and every value of the request after them. */
function write(
  { cursors, clock }: PageServices,
  request: AdmittedRequest,
  { chain, counts: known }: ChainOfPage,
  { page, bill }: BilledPage<SavedChanges>,
): WrittenPage {
  const { language, verifiedAtMs, lastKey: afterKey, observationId } = page.meta;
  const { fromRevisionId: since, toRevisionId: revisionId } = page.meta;
  const counts = known ?? page.meta.counts ?? { added: 0, removed: 0, changed: 0 };
  const position = { since, revisionId, observationId, counts };
  const nextCursor =
    afterKey === null ? null : sealChangesCursor(cursors, chain, { ...position, afterKey });
  const ageSeconds = ageSecondsOf(verifiedAtMs, clock);
  const pagination = { hasMore: nextCursor !== null, nextCursor };
  const saved = { ...page.meta, ageSeconds, counts, pagination };
  const end = JSON.stringify(z.encode(changesPageEnd, saved));
  const meta = JSON.stringify(pageMeta(request, product, bill));
  return {
    headers: toLanguageHeaders(language),
    body: Buffer.concat([
      Buffer.from(packedPageBeginning),
      page.bytes,
      Buffer.from(`,${end.slice(1)},"meta":${meta}}`),
    ]),
  };
}
