import { startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import { createLogger } from '@inventory/runtime/logger';
import { newAccountId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { type LedgerRoutesDeps, ledgerRoutes } from '../src/http/ledger-routes.ts';

test('usage of more than one report may have is refused by its own code, not cut off (GET usage) [account-self-service]', async () => {
  const notAsked = () => Promise.reject(new Error('not asked'));
  const deps: LedgerRoutesDeps = {
    journal: only({ findRecorded: notAsked }),
    readStanding: notAsked,
    loadAccount: notAsked,
    readStatement: notAsked,
    readUsage: async () => ({ result: 'too_much' }),
    listOldHolds: notAsked,
    verifier: { run: notAsked },
    quarantined: only({ listQuarantined: notAsked, deleteQuarantined: notAsked }),
    prices: only({
      book: { all: [], activeAt: neverPriced, scheduleAt: neverPriced, byVersion: neverPriced },
      reload: notAsked,
    }),
    priceLists: only({ listPriceLists: notAsked }),
    publishPriceList: notAsked,
    journalClock: only(createTestClock()),
  };
  const listener = createInternalApp({
    routes: ledgerRoutes.map((route) => route.bind(deps)),
    health: { notReady: async () => [], degraded: () => [], notAlive: () => [] },
    callers: [],
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });

  const path = `/accounts/${newAccountId()}/usage?from=2026-11-01&to=2026-11-30`;
  const answer = await fetch(`${server.url}${path}`);

  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ error: { code: 'usage_too_large' } });
  await server.close(100);
});

function neverPriced(): never {
  throw new Error('not asked');
}
