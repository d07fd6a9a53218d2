import type { RequestListener } from 'node:http';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { Principal } from '../tenancy/principal.domain.ts';
import { createUnknownKeys } from './limits/unknown-keys.ts';
import { refuseUnknownKeys } from './refuse-unknown-keys.ts';

const peer = '192.0.2.1';
let server: HttpServer;
/** Keys that were looked up. */
let lookedUp: string[];
afterEach(() => server.close(0));

/** Serves a gateway with one seen key and one Credential besides, to a client past its limit or not. */
async function serve({ isPastLimit }: { readonly isPastLimit: boolean }) {
  lookedUp = [];
  const unknownKeys = createUnknownKeys<Principal>({ perMinute: 1, clock: createTestClock() });
  if (isPastLimit) await unknownKeys.lookUp(peer, 'digest', async () => null);
  const serveAll: RequestListener = (_request, response) => void response.end('served');
  const listener = refuseUnknownKeys(
    {
      principals: {
        async findPrincipal(key) {
          lookedUp.push(key);
          if (key === 'stuck') throw new Error('no server');
          return key === 'issued' ? ({} as Principal) : null;
        },
        readPrincipal: async () => null,
        isUnseen: (key) => key !== 'seen',
        digestOf: (key) => key,
      },
      unknownKeys,
      clientAddressOf: () => peer,
      v1DeprecatedAtMs: 0,
      delayMs: 0,
      deadlines: { findMs: 600_000 },
      identifiers: systemIdentifiers,
    },
    serveAll,
  );
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}/v2/account`;
  return async (key?: string) =>
    (await fetch(url, { headers: key === undefined ? {} : { 'x-api-key': key } })).status;
}

test('of a client past its limit the keys that exist are served, seen or not, and the others refused [unknown-keys]', async () => {
  const call = await serve({ isPastLimit: true });

  expect([await call('seen'), await call()]).toEqual([200, 200]);
  expect([await call('issued'), await call('made up')]).toEqual([200, 429]);
  expect(lookedUp).toEqual(['issued', 'made up']);
});

test('where the look-up fails the request is served as any, which fails by itself', async () => {
  const call = await serve({ isPastLimit: true });

  expect([await call('stuck'), lookedUp]).toEqual([200, ['stuck']]);
});

test('any other client is served without a look-up here', async () => {
  const call = await serve({ isPastLimit: false });

  expect([await call('made up'), lookedUp]).toEqual([200, []]);
});
