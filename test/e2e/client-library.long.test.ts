import { RefreshNotFinishedError } from '@inventory/client/errors';
import { createInventoryClient, type InventoryClient } from '@inventory/client/inventory-client';
import type { Customer } from './support/operator.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** What the published client does with time, against the whole product. */
let stack: TestStack;

beforeAll(async () => {
  stack = await openTestStack({ simulator: { SIMULATOR_SLOW_MS: '12000' } });
});
afterAll(() => stack?.close());

function clientOf({ secret }: Pick<Customer, 'secret'>): InventoryClient {
  return createInventoryClient({ baseUrl: stack.gatewayUrl, apiKey: secret });
}

test('a wait that was given up is resumed by the id of the refresh, with another client (Polling) [polling, retry-after]', async () => {
  const scope = sizeScope(10, 702);
  const customer = await stack.operator.newCustomer();
  const control = createSimulatorControl(stack.simulatorUrl);
  await control.fail({ failure: { kind: 'slow' }, platform_id: scope.platform_id, times: 1 });
  let refreshId = '';

  const givenUp = clientOf(customer).refreshAndWait(scope, {
    deadlineMs: 5_000,
    onProgress: ({ refresh_id }) => {
      refreshId = refresh_id;
    },
  });

  await expect(givenUp).rejects.toThrow(RefreshNotFinishedError);
  const { record } = await clientOf(customer).waitForRefresh(refreshId);
  expect(record.outcome).toBe('complete_changed');
});

test('a rate limit is waited out, not thrown (Retry-After)', async () => {
  const customer = await stack.operator.newCustomer({ requestsPerMinute: 2 });
  const client = clientOf(customer);

  const reads = await Promise.all([1, 2, 3].map(() => client.account()));

  expect(reads).toHaveLength(3);
});
