import type { ManagedProcess } from '@inventory/backends/managed-process';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** The longest there is, and far longer than the test waits: whatever waits for a session hangs. */
const longestSession = { KAFKA_SESSION_TIMEOUT_MS: '600000' };
let stack: TestStack;
let customer: Customer;
let serial = 1;

beforeAll(async () => {
  stack = await openTestStack({
    ownBackends: true,
    serviceEnvironment: Object.fromEntries(serviceNames.map((name) => [name, longestSession])),
  });
  customer = await stack.operator.newCustomer();
  await refresh();
});
afterAll(() => stack?.close());

async function refresh(): Promise<void> {
  serial += 1;
  const id = await customer.api.accepted(sizeScope(3_000, serial));
  await untilCompleted(customer.api, customer.projectId, [id]);
}

test.each<ServiceName>(serviceNames)(
  '%s is ready again after a kill -9 and does its work before any session expires',
  async (name) => {
    await expectReadyAgain(stack.service(name));
    await refresh();
  },
);

test('the local broker is ready again after a kill -9, and refreshes are completed before any session expires', async () => {
  await expectReadyAgain(stack.kafka);
  // Members return first: until then a request is 503, and what it began is cancelled.
  await waitFor('one is completed', () => refresh().then(() => true, isRefusedMeanwhile));
});

function isRefusedMeanwhile(error: Error): false {
  if (error.message.startsWith('not accepted: 503 ')) return false;
  throw error;
}

async function expectReadyAgain(killed: ManagedProcess | null): Promise<void> {
  await killed?.kill('SIGKILL');
  await waitFor('it is ready again', () => killed?.isReady);
}
