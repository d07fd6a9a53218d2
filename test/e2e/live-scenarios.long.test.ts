import { endlessScenarios, liveEnds } from './support/live-ends.ts';
import { type ScenarioPlan, testLiveScenarios } from './support/live-scenarios.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { livePathOf } from './support/read-live.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';
import { dialects, testV1Scenarios } from './support/v1-scenarios.ts';

let stack: TestStack;
let truth: TruthReader;

beforeAll(async () => {
  [truth, stack] = await Promise.all([
    openTruthReader(),
    openTestStack({
      replicas: { gateway: 2, 'refresh-collector': 2 },
      egressIdentities: 4,
      simulator: { SIMULATOR_SLOW_MS: '4000' },
      serviceEnvironment: {
        'refresh-collector': { PLATFORM_TIMEOUT_MS: '3000', LIVE_PAGE_RETRY_MS: '100' },
      },
    }),
  ]);
});
afterAll(async () => {
  await truth?.close();
  await stack?.close();
});

const plan: ScenarioPlan = {
  stack: () => stack,
  truth: () => truth,
  serial: 300,
  ends: liveEnds,
  endless: endlessScenarios,
};

describe('every scenario account of the platform, page by page (upstream 5)', () => {
  testLiveScenarios(plan);
});

describe.each(dialects)(
  'every scenario account of the platform by the %s route of V1',
  (dialect) => {
    testV1Scenarios(dialect, { ...plan, serial: 400 });
  },
);

test('while an application is down, its pages are 502 with a time to wait, and free', async () => {
  const customers = [
    await stack.operator.newCustomer({ credits: 100 }),
    await stack.operator.newCustomer({ credits: 100 }),
  ];
  const control = createSimulatorControl(stack.simulatorUrl);
  await control.fail({ failure: { kind: 'eresult', code: 20 }, app_id: 570 });
  const read = async (place: number) => {
    const path = livePathOf({ ...sizeScope(3, 800 + place), app_id: 570 });
    return Promise.all(customers.map(({ api }) => api.call({ path })));
  };

  const answers = [];
  for (let place = 0; place < 30; place += 1) answers.push(...(await read(place)));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
  const last = answers.at(-1);
  expect(last?.json.error.detail.reason).toBe('breaker_open');
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(5);
  for (const { accountId } of customers) {
    expect((await stack.operator.balance(accountId)).available).toBe(100);
  }
});
