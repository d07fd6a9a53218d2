import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { singleNodeUri, watchForPanic } from './mongodb-probe.ts';

test('a watch that is over requests nothing more: its server is gone', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const over = new AbortController();
  const watched = watchForPanic(singleNodeUri('127.0.0.1', port), 100, over.signal);

  over.abort();

  expect(await watched).toBeNull();
  expect(connections).toBe(0);
  server.close();
});
