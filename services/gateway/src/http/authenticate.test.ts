import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { only } from '@inventory/testkit/only';
import { newFrame } from '../../test/support/public-frame.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { createPublicApp } from './app.ts';

const peer = '192.0.2.1';
let server: HttpServer;
/** Keys that were looked up. */
let lookedUp: string[];
afterEach(() => server.close(0));

/** Serves pages, with one seen key and one Credential besides, to a client past its limit or not. */
async function serve({ isPastLimit }: { readonly isPastLimit: boolean }) {
  lookedUp = [];
  const frame = newFrame({
    principals: only({
      async findPrincipal(key) {
        lookedUp.push(key);
        if (key === 'stuck') throw new Error('no server');
        return key === 'issued' ? ({} as Principal) : null;
      },
      readPrincipal: async () => null,
      isUnseen: (key) => key !== 'seen',
      digestOf: (key) => key,
    }),
  });
  if (isPastLimit) await frame.unknownKeys.lookUp(peer, 'digest', async () => null);
  const pages = { '/page': { type: 'text', body: Buffer.from('served') } };
  const listener = createPublicApp(frame, [], pages);
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}/page`;
  return async (key?: string) =>
    (await fetch(url, { headers: key === undefined ? {} : { 'x-api-key': key } })).status;
}

test('of a client past its limit the keys that exist are served, seen or not, and the others refused [unknown-keys]', async () => {
  const call = await serve({ isPastLimit: true });

  expect([await call('seen'), await call()]).toEqual([200, 200]);
  expect([await call('issued'), await call('made up')]).toEqual([200, 429]);
  expect(lookedUp).toEqual(['issued', 'made up']);
});

test('where the lookup fails the request is served as any, which fails by itself', async () => {
  const call = await serve({ isPastLimit: true });

  expect([await call('stuck'), lookedUp]).toEqual([200, ['stuck']]);
});

test('any other client is served without a lookup here', async () => {
  const call = await serve({ isPastLimit: false });

  expect([await call('made up'), lookedUp]).toEqual([200, []]);
});
