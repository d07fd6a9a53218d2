import { verifyWebhook } from '@inventory/client/verify-webhook';
import { waitFor } from '@inventory/testkit/wait-for';
import { startReceiver } from '../../services/event-stream/test/support/http-receiver.ts';
import { openCommandLine } from './support/command-line.ts';
import { readProjectLog } from './support/project-log.ts';
import { newReadingCustomer, refreshOnePages } from './support/reading-customer.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Streams end within seconds, as they do within 15 minutes, so that a short suspension outlives several. */
const streamLifeMs = 3_000;
const rounds = 3;
const eventsPerRound = 40;
let stack: TestStack;
let cli: ReturnType<typeof openCommandLine>;

beforeAll(async () => {
  stack = await openTestStack({
    egressIdentities: 8,
    serviceEnvironment: {
      gateway: { STREAM_LIFE_MAX_MS: String(streamLifeMs), STREAM_SLOW_AFTER_MS: '2000' },
    },
  });
});
afterAll(async () => {
  await cli?.close();
  await stack?.close();
});

test('listen loses nothing where it is suspended longer than its connections live, under load, killed, and refused by its receiver (Events: webhooks)', async () => {
  const customer = await newReadingCustomer({
    operator: stack.operator,
    gatewayUrls: [stack.gatewayUrl],
  });
  const receiver = await startReceiver();
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  cli = openCommandLine({
    INVENTORY_URL: stack.gatewayUrl,
    INVENTORY_API_KEY: customer.secret,
    INVENTORY_WEBHOOK_SECRET: secret,
  });
  const start = (...args: string[]) =>
    cli.start(['listen', '--forward-to', `${receiver.url}/hook`, '--json', ...args]);
  let asked = 0;
  receiver.respondWith(() => {
    asked += 1;
    return { status: asked % 7 === 0 ? 503 : 204 };
  });
  const acceptedIds = () =>
    new Set(receiver.hooks.map(({ headers, raw }) => verifyWebhook(headers, raw, secret).id));
  let listening = start('--from', 'oldest');

  for (let round = 0; round < rounds; round += 1) {
    const serials = Array.from(
      { length: eventsPerRound },
      (_none, index) => 391_000 + round * eventsPerRound + index,
    );
    await waitFor('it is connected', () => listening.err().includes('signed'));
    const refreshing = refreshOnePages(customer, serials.slice(0, eventsPerRound / 2));
    await waitFor(
      'it is under load',
      () => acceptedIds().size > round * eventsPerRound || undefined,
    );
    listening.child.kill('SIGSTOP');
    await refreshing;
    await refreshOnePages(customer, serials.slice(eventsPerRound / 2));
    listening.child.kill('SIGCONT');
    await waitFor(
      'events arrive again',
      () => acceptedIds().size > round * eventsPerRound + eventsPerRound / 2,
    );
    listening.child.kill('SIGKILL');
    await listening.ended;
    listening = start();
  }

  const total = rounds * eventsPerRound;
  await waitFor('each has arrived', () => acceptedIds().size === total);
  const log = await readProjectLog(stack, customer.projectId);
  expect([...acceptedIds()]).toEqual(log.map(({ eventId }) => eventId));
  expect(listening.err()).not.toContain(customer.secret);
  await receiver.close();
});
