import { defineRoute, type Route } from '../http/route.ts';
import { billHeaders } from '../http/v1-bill-headers.ts';
import type { V1Dialect } from '../http/v1-dialect.ts';
import { liveAnswer, type PageToWrite } from './live-answer.ts';
import { v1PageEndpoints } from './page-endpoints.ts';
import { type ReadLivePageDeps, readLivePage } from './read-live-page.ts';

export interface V1RouteDeps extends ReadLivePageDeps {
  readonly prices: { current(): number | null };
}

/** One page, read from the platform now, as the first version of the interface answered it. */
export function v1PageRoute(dialect: V1Dialect, deps: V1RouteDeps): Route {
  return defineRoute({
    ...v1PageEndpoints[dialect],
    async handle(request, { path: scope, query, header }) {
      const { requestId, authority } = request;
      const { accountId, projectId } = authority;
      const { language } = query;
      const startAssetid = query.start_assetid ?? null;
      const key = header['Idempotency-Key'];
      const inputs = [...Object.values(scope), language, startAssetid];
      const read = await readLivePage(
        deps,
        { requestId, accountId, projectId, chainId: null },
        {
          scope,
          language,
          form: 'v1',
          startAssetid,
          signal: request.signal,
          key: key === undefined ? null : { route: 'v1', key, inputs },
        },
      );
      return await liveAnswer(read, deps.prices.current(), async (page) => ({
        headers: billHeaders(dialect, page.bill),
        body: v1Body(page),
      }));
    },
  });
}

function v1Body({ page }: PageToWrite): Buffer {
  const { total_count, next_start_assetid: next } = page.meta;
  const rest = JSON.stringify({
    total_inventory_count: total_count,
    ...(next === null ? {} : { more_items: 1, last_assetid: next }),
  });
  return Buffer.concat([
    Buffer.from('{"success":1,'),
    page.members,
    Buffer.from(`,${rest.slice(1)}`),
  ]);
}
