import { newReadingCustomer, type StreamStack } from './support/reading-customer.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await openTestStack({
    replicas: { gateway: 2, 'event-stream': 2 },
    serviceEnvironment: { gateway: { STREAM_DRAIN_MS: '1000' } },
  });
});
afterAll(() => stack?.close());

function streams(): StreamStack {
  const gateways = stack.replicasOf('gateway');
  return {
    operator: stack.operator,
    gatewayUrls: gateways.map(({ publicUrl }) => publicUrl ?? ''),
  };
}

test('a revocation ends open streams at both gateways within 2 s (Authentication)', async () => {
  const customer = await newReadingCustomer(streams());
  const readers = await Promise.all([customer.open(undefined, 0), customer.open(undefined, 1)]);
  await Promise.all(readers.map((reader) => reader.frame('checkpoint')));

  await stack.operator.revoke(customer.credentialId);
  const startMs = performance.now();
  await Promise.all(readers.map((reader) => reader.frame('stream.authorization_revoked')));

  expect(performance.now() - startMs).toBeLessThan(2_000);
});
