import type { ManagedProcess } from '@inventory/backends/managed-process';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** From the kill to the first refresh that needs the service, the second before its start included. */
const readyMs = 5_000;
/** From the return of the broker to a completed refresh: less than a session, which nothing waits for. */
const completedMs = 12_000;
let stack: TestStack;
let customer: Customer;
let serial = 1;

beforeAll(async () => {
  stack = await openTestStack({ ownBackends: true });
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
  '%s is ready again within 5 s of a kill -9, and does its work',
  async (name) => {
    await expectReadyAgain(stack.service(name));
    await refresh();
  },
);

test('the local broker is ready again within 5 s of a kill -9, and refreshes are completed within 12 s of that', async () => {
  await expectReadyAgain(stack.kafka);
  // Members return first: until then a request is 503, and what it began is cancelled.
  await waitFor('one is completed', () => refresh().then(() => true, isRefusedMeanwhile), {
    withinMs: completedMs,
  });
});

function isRefusedMeanwhile(error: Error): false {
  if (error.message.startsWith('not accepted: 503 ')) return false;
  throw error;
}

async function expectReadyAgain(killed: ManagedProcess | null): Promise<void> {
  await killed?.kill('SIGKILL');
  await waitFor('it is ready again', () => killed?.isReady, { withinMs: readyMs });
}
