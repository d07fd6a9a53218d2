import { waitFor } from '@inventory/testkit/wait-for';
import { createPatientClient } from './support/patient-client.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const tenPages = 20_000;
let stack: TestStack;

beforeAll(async () => {
  stack = await openTestStack({ simulator: { SIMULATOR_LATENCY_MS: '500' } });
});
afterAll(() => stack?.close());

/** How long a customer of its own waits for a one-page refresh. */
async function onePageMs(serial: number): Promise<number> {
  const customer = await stack.operator.newCustomer();
  const startMs = performance.now();
  const id = await customer.api.accepted(sizeScope(1, serial));
  await waitFor(
    'the one-page refresh is completed',
    async () => (await customer.api.record(id)).state === 'completed',
    { everyMs: 50 },
  );
  return performance.now() - startMs;
}

test('behind 200 ten-page scans of another account a one-page refresh takes at most max(3 x idle, idle + 3 s) (Fairness) [fairness]', async () => {
  await onePageMs(1);
  const idleMs = await onePageMs(2);
  const busy = await stack.operator.newCustomer();
  const client = createPatientClient({
    apis: [busy.api],
    nowMs: () => performance.now(),
    giveUpAfterMs: 30_000,
  });
  await Promise.all(
    Array.from({ length: 200 }, (_none, serial) =>
      client.refresh(sizeScope(tenPages, 100 + serial)),
    ),
  );
  const refreshes = (await stack.recordsOf('refresh-collector')).collection('refreshes');
  await waitFor('some of them are being read', async () => {
    return (await refreshes.countDocuments({ 'scan.pages': { $gte: 1 } })) >= 8;
  });

  const queuedMs = [await onePageMs(3), await onePageMs(4), await onePageMs(5)];

  // The middle one of three: one may meet a pause of the machine.
  const [, middleMs] = queuedMs.toSorted((left, right) => left - right);
  expect(middleMs).toBeLessThanOrEqual(Math.max(3 * idleMs, idleMs + 3_000));
  const { outstanding } = await stack.operator.call('readAdmission', {});
  expect(outstanding).toBeGreaterThan(100);
  await waitFor(
    'the busy account gets on too',
    async () => {
      const response = await busy.api.list(busy.projectId, '?state=completed');
      return response.json.data.items.length >= 4;
    },
    { everyMs: 250 },
  );
});
