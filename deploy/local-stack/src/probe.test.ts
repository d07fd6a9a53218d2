import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { watchLiveness } from './probe.ts';

test('the watch of a service that was stopped ends without a request', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const over = new AbortController();

  const watching = watchLiveness(`http://127.0.0.1:${port}`, over.signal);
  over.abort();

  expect(await watching).toBeNull();
  expect(requests).toBe(0);
  server.close();
});
