import type { RequestListener } from 'node:http';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { Refused } from '@inventory/http/refused';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { refuseUnknownKeys } from './refuse-unknown-keys.ts';

const refusal = new Refused({
  code: 'rate_limit_exceeded',
  detail: { limit: 'unknown_keys' },
  retry_after_seconds: 20,
});
let server: HttpServer;
let refused: number;
afterEach(() => server.close(0));

/** Serves a gateway that refuses unknown keys; `isKnown` is asked before and after the delay. */
async function serve(isKnown: (key: string) => boolean, isRefusing: () => boolean) {
  refused = 0;
  const serveAll: RequestListener = (_request, response) => void response.end('served');
  const listener = refuseUnknownKeys(
    {
      principals: { findPrincipal: async () => null, isKnown, digestOf: (secret) => secret },
      unknownKeys: { refusalOf: () => (isRefusing() ? refusal : null), lookUp: async () => null },
      clientAddressOf: () => '192.0.2.1',
      v1DeprecatedAtMs: 0,
      delayMs: 0,
      unknownKeyRefused: () => {
        refused += 1;
      },
      identifiers: systemIdentifiers,
    },
    serveAll,
  );
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}/v2/account`;
  return async (key?: string) =>
    (await fetch(url, { headers: key === undefined ? {} : { 'x-api-key': key } })).status;
}

test('a key that becomes known during the delay is served: its change message was on its way [unknown-keys]', async () => {
  let asked = 0;
  const call = await serve(
    () => {
      asked += 1;
      return asked > 1;
    },
    () => true,
  );

  expect([await call('issued a moment ago'), refused]).toEqual([200, 0]);
});

test('where the client may look up again after the delay, its unknown key is looked up', async () => {
  const isRefusing = [true, false];
  const call = await serve(
    () => false,
    () => isRefusing.shift() ?? false,
  );

  expect([await call('made up'), refused]).toEqual([200, 0]);
});

test('known keys and requests without a key are served at once, unknown ones are refused and counted', async () => {
  const call = await serve(
    (key) => key === 'known',
    () => true,
  );

  expect([await call('known'), await call(), await call('made up')]).toEqual([200, 200, 429]);
  expect(refused).toBe(1);
});
