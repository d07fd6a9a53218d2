import { startHttpServer } from '@inventory/http/http-server';
import { createInternalApp } from '@inventory/http/internal-app';
import { createLogger } from '@inventory/runtime/logger';
import { newAccountId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { ledgerRoutes } from '../src/http/ledger-routes.ts';
import type { Ledger } from '../src/open-ledger.ts';

test('usage of more than one report may have is refused by its own code, not cut off (GET usage) [account-self-service]', async () => {
  const ledger = only<Ledger>({ readUsage: async () => ({ result: 'too_much' }) });
  const listener = createInternalApp({
    routes: ledgerRoutes.map((route) => route.bind(ledger)),
    health: { notReady: async () => [], degraded: () => [], notAlive: () => [] },
    callers: [],
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });

  const path = `/accounts/${newAccountId()}/usage?from=2026-11-01&to=2026-11-30`;
  const response = await fetch(`${server.url}${path}`);

  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ error: { code: 'usage_too_large' } });
  await server.close(100);
});
