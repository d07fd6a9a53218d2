import { untilCompleted } from './support/follow-refresh.ts';
import { typicalEnds } from './support/live-ends.ts';
import { testLiveScenarios } from './support/live-scenarios.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { livePathOf } from './support/read-live.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { sizeScope } from './support/simulator-control.ts';

const stack = openSharedStack();
let truth: TruthReader;

beforeAll(async () => {
  truth = await openTruthReader();
});
afterAll(async () => {
  await truth?.close();
  await stack.close();
});

const serial = 100_000;

describe('scenario accounts of the platform, page by page (upstream 5)', () => {
  testLiveScenarios({
    stack: () => stack,
    truth: () => truth,
    serial,
    ends: typicalEnds,
    endless: ['cursor-cycle'],
  });
});

test('live pages go before a running scan, which still completes (architecture: Live Page)', async () => {
  const customer = await stack.operator.newCustomer();
  const refreshId = await customer.api.accepted(sizeScope(20_001, serial));

  const reads = await Promise.all(
    Array.from({ length: 30 }, (_none, index) =>
      customer.api.call({ path: livePathOf(sizeScope(3, serial + 700 + index)) }),
    ),
  );

  expect(reads.map(({ status }) => status)).toEqual(Array(30).fill(200));
  await untilCompleted(customer.api, customer.projectId, [refreshId]);
  expect((await customer.api.record(refreshId)).outcome).toBe('complete_changed');
});
