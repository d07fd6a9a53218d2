import type { ManagedProcess } from '@inventory/backends/managed-process';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** From the kill to the first refresh that needs the service, the second before its start included. */
const readyMs = 5_000;
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

test('the local broker is ready again within 5 s of a kill -9, and refreshes are accepted and completed by themselves', async () => {
  await expectReadyAgain(stack.kafka);
  // Groups settle first: until then a request is 503, and what it began is cancelled.
  await waitFor('a refresh is accepted', () => refresh().then(() => true, isRefusedMeanwhile));
});

function isRefusedMeanwhile(error: Error): false {
  if (error.message.startsWith('not accepted: 503 ')) return false;
  throw error;
}

async function expectReadyAgain(killed: ManagedProcess | null): Promise<void> {
  await killed?.kill('SIGKILL');
  await waitFor('it is ready again', () => killed?.isReady, { withinMs: readyMs });
}
