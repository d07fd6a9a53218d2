import { scopePath } from '@inventory/contracts/http/parameters';
import { v1Inventory, v1Parameters } from '@inventory/contracts/http/v1';
import { exampleRows } from '../http/openapi/examples.ts';
import { sameScope } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import type { V1Dialect } from '../http/v1/v1-dialect.ts';
import { billHeaders } from '../http/v1/v1-headers.ts';
import { type PageToWrite, respondWithLivePage } from './live-response.ts';
import type { PageServices } from './open-pages.ts';
import { keyHeader, readErrors, replayedHeader, v1PlatformErrors } from './page-texts.ts';
import { readLivePage } from './read-live-page.ts';

const product = 'platform.inventory.page.v1';
const templates: Readonly<Record<V1Dialect, string>> = {
  original: '/api/v1/inventory/{platform_id}/{app_id}/{context_id}',
  alias: '/v1/platform/inventory/{platform_id}/{app_id}/{context_id}',
};
const operationIds = { original: 'readV1Page', alias: 'readV1PageAlias' } as const;

/** One page, read from the platform now, in the form of V1. */
export const readV1PageRoute = v1Route('original');
export const readV1PageAliasRoute = v1Route('alias');

function v1Route(dialect: V1Dialect) {
  return publicRoute({
    operationId: dialect === 'original' ? 'readV1Page' : 'readV1PageAlias',
    tag: 'Version 1',
    summary: dialect === 'original' ? 'V1 inventory' : 'V1 inventory (alias)',
    description:
      'Deprecated: read a Live Page instead. Pass `last_assetid` as `start_assetid` while ' +
      '`more_items` is set. A slash after the path changes nothing.',
    method: 'GET',
    template: templates[dialect],
    mayEndInSlash: true,
    permission: product,
    product,
    input: { path: scopePath, query: v1Parameters, header: keyHeader },
    dialect,
    response: {
      status: 200,
      description: 'The page, without an envelope.',
      links: {
        [operationIds[dialect]]: { ...sameScope, start_assetid: '$response.body#/last_assetid' },
        readLivePage: sameScope,
      },
      body: { unwrapped: v1Inventory },
      example: {
        success: 1,
        ...exampleRows,
        total_inventory_count: 4_001,
        more_items: 1,
        last_assetid: '31415926535',
      },
      headers: replayedHeader,
    },
    errors: [...v1PlatformErrors, ...readErrors],
    async handle(services: PageServices, { path: scope, query, header }, request) {
      const { language, startAssetid = null } = query;
      const key = header['Idempotency-Key'];
      const inputs = [...Object.values(scope), language, startAssetid];
      const read = await readLivePage(services, request, {
        chainId: null,
        scope,
        language,
        form: 'v1',
        startAssetid,
        previousStartAssetid: undefined,
        signal: request.signal,
        key: key === undefined ? null : { route: 'v1', key, inputs },
      });
      return await respondWithLivePage(read, services.prices.currentVersion(), async (page) => ({
        headers: billHeaders(dialect, page.bill),
        body: v1Body(page),
      }));
    },
  });
}

function v1Body({ page }: PageToWrite): readonly Buffer[] {
  const { totalCount, nextStartAssetid: next } = page.meta;
  const rest = JSON.stringify({
    total_inventory_count: totalCount,
    ...(next === null ? {} : { more_items: 1, last_assetid: next }),
  });
  return [Buffer.from('{"success":1,'), ...page.members, Buffer.from(`,${rest.slice(1)}`)];
}
