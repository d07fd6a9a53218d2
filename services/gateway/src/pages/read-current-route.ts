import { languageTags } from '@inventory/contracts/languages';
import { Refused } from '@inventory/http/refused';
import { unreachable } from '@inventory/runtime/bug';
import { type Clock, fromIsoTime } from '@inventory/runtime/clock';
import { type AdmittedRequest, type Answer, defineRoute, type Route } from '../http/route.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import { currentBody } from './current-body.ts';
import { type CurrentChain, openCurrentCursor, sealCurrentCursor } from './current-cursor.ts';
import { chargedBill, type PageBill, replayBill } from './page-bill.ts';
import { readCurrentEndpoint } from './page-endpoints.ts';
import { type CurrentRead, type ReadCurrentDeps, readCurrent } from './read-current.ts';
import { refusePage } from './refuse-page.ts';
import type { SavedPage } from './revision-store-client.ts';

export interface ReadCurrentRouteDeps extends ReadCurrentDeps {
  readonly cursors: CursorSealer;
  readonly prices: { current(): number | null };
  readonly clock: Clock;
}

const product = 'platform.inventory.current.page.v1';

/** GET …/current: one page of the saved inventory; the platform is not contacted. */
export function readCurrentRoute(deps: ReadCurrentRouteDeps): Route {
  const { cursors } = deps;
  return defineRoute({
    ...readCurrentEndpoint,
    async handle(request, { path: scope, query, header }) {
      const { requestId, authority } = request;
      const { accountId, projectId } = authority;
      const chain = { accountId, scope, language: query.language };
      const from =
        query.cursor === undefined ? null : openCurrentCursor(cursors, chain, query.cursor);
      if (query.cursor !== undefined && from === null) {
        throw new Refused({ code: 'invalid_cursor' });
      }
      const { language, page_size: pageSize, cursor = null } = query;
      const key = header['Idempotency-Key'];
      const inputs = [...Object.values(scope), language, pageSize, cursor];
      const read = await readCurrent(
        deps,
        { requestId, accountId, projectId },
        { scope, language, pageSize, from },
        key === undefined ? null : { route: 'current', key, inputs },
      );
      try {
        return toAnswer(deps, request, chain, read);
      } catch (error) {
        if (read.result === 'charged') read.delivery.abandoned();
        throw error;
      }
    },
  });
}

function toAnswer(
  deps: ReadCurrentRouteDeps,
  request: AdmittedRequest,
  chain: CurrentChain,
  read: CurrentRead,
): Answer {
  switch (read.result) {
    case 'charged': {
      const { page, outcome, delivery } = read;
      const answer = pageAnswer(deps, request, chain, { page, bill: chargedBill(outcome, null) });
      return { ...answer, delivery };
    }
    case 'replayed': {
      const bill = replayBill(read.balance, deps.prices.current());
      const answer = pageAnswer(deps, request, chain, { page: read.page, bill });
      return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
    }
    case 'refused':
      throw refusePage(read.refusal);
    default:
      return unreachable(read);
  }
}

function pageAnswer(
  { cursors, clock }: ReadCurrentRouteDeps,
  request: AdmittedRequest,
  chain: CurrentChain,
  { page, bill }: { readonly page: SavedPage; readonly bill: PageBill },
): Answer {
  const saved = page.meta;
  const { revision_id: revisionId, observation_id: observationId, next_position } = saved;
  const frame = {
    page: saved,
    // A store whose clock is ahead must not make evidence from the future.
    ageSeconds: Math.max(0, Math.floor((clock.now() - fromIsoTime(saved.verified_at)) / 1000)),
    nextCursor:
      next_position === null
        ? null
        : sealCurrentCursor(cursors, chain, { revisionId, observationId, position: next_position }),
    meta: {
      request_id: request.requestId,
      product_code: product,
      ...bill,
      rate_limit: request.rateLimit,
    },
  };
  return {
    status: 200,
    headers: {
      'X-Description-Language': saved.language,
      'Content-Language': languageTags[saved.language],
    },
    body: currentBody(frame, page.members),
  };
}
