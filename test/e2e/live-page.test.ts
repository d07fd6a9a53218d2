import { pageReadMeta } from '@inventory/contracts/http/meta';
import { untilCompleted } from './support/follow-refresh.ts';
import { typicalEnds } from './support/live-ends.ts';
import { testLiveScenarios } from './support/live-scenarios.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { expectLiveTruth, livePathOf, walkLive } from './support/read-live.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';

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

test('each page names the remaining balance, and reads are charged while credits are left', async () => {
  const customer = await stack.operator.newCustomer({ credits: 2 });
  const read = (place: number) =>
    customer.api.call({ path: livePathOf(sizeScope(3, serial + place)) });

  const metas = [await read(1), await read(2)].map(({ json }) => pageReadMeta.parse(json.meta));
  const third = await read(3);

  expect(metas.map(({ credits_remaining }) => credits_remaining)).toEqual([1, 0]);
  expect([third.status, third.json.error.code]).toEqual([402, 'insufficient_credits']);
  expect(third.json.error.detail).toEqual({ required: 1, available: 0 });
  const control = createSimulatorControl(stack.simulatorUrl);
  expect(await control.requestsOf(sizeScope(3, serial + 3))).toBe(0);
});

test('texts come in the language asked for, and a chain keeps it', async () => {
  const customer = await stack.operator.newCustomer();
  const scope = sizeScope(2_001, serial);

  const walk = await walkLive(customer.api, scope, { language: 'schinese' });

  expectLiveTruth(walk, await truth.of(scope, 'schinese'), 'v2');
  expect(walk.end.headers['content-language']).toBe('zh-Hans');
});

test('live pages go before a running scan, which still completes (architecture: Live Page)', async () => {
  const customer = await stack.operator.newCustomer();
  const refreshId = await customer.api.accepted(sizeScope(20_001, serial));

  const reads = await Promise.all(
    Array.from({ length: 30 }, (_none, place) =>
      customer.api.call({ path: livePathOf(sizeScope(3, serial + 700 + place)) }),
    ),
  );

  expect(reads.map(({ status }) => status)).toEqual(Array(30).fill(200));
  await untilCompleted(customer.api, customer.projectId, [refreshId]);
  expect((await customer.api.record(refreshId)).outcome).toBe('complete_changed');
});
