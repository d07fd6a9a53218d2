import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { startDeadline } from './deadline.ts';

const going = new AbortController().signal;

/** Nothing else runs in this process meanwhile. */
function block(durationMs: number): void {
  const untilMs = performance.now() + durationMs;
  while (performance.now() < untilMs);
}

test('what arrives while this process is busy is read before a deadline ends (Events: webhooks)', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(server, 'connection')) as [Socket];

  const deadline = startDeadline(20, going);
  client.write('response');
  block(150);
  await once(accepted, 'data');
  const wasAborted = deadline.signal.aborted;
  deadline.clear();
  client.destroy();
  server.close();

  expect(wasAborted).toBe(false);
});

test('a deadline ends, also after this process was busy', async () => {
  const deadline = startDeadline(20, going);
  block(150);

  if (!deadline.signal.aborted) await once(deadline.signal, 'abort');

  expect(deadline.signal.aborted).toBe(true);
});

test('a deadline that is cleared does not end', async () => {
  const deadline = startDeadline(1, going);
  deadline.clear();

  await new Promise((resolve) => setTimeout(resolve, 5));

  expect(deadline.signal.aborted).toBe(false);
});

test('a deadline ends with the signal to stop, and listens to it no longer once it is cleared', () => {
  const stop = new AbortController();
  const [cut, cleared] = [startDeadline(60_000, stop.signal), startDeadline(60_000, stop.signal)];
  cleared.clear();

  stop.abort();
  const late = startDeadline(60_000, stop.signal);

  expect([cut, cleared, late].map(({ signal }) => signal.aborted)).toEqual([true, false, true]);
  for (const one of [cut, late]) one.clear();
});
