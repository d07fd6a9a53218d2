import { errorBody, pageReadMeta } from '@inventory/contracts/http/meta';
import { untilCompleted } from './support/follow-refresh.ts';
import { endlessScenarios, liveEnds, scopeOfEnd } from './support/live-ends.ts';
import type { Customer } from './support/operator.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { expectLiveTruth, livePathOf, walkLive } from './support/read-live.ts';
import { createSimulatorControl, scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

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

const serial = 300;

function doorsOf({ api }: Customer) {
  return stack.replicasOf('gateway').map(({ publicUrl }) => api.at(publicUrl ?? ''));
}

describe('every scenario account of the platform, page by page (upstream 5)', () => {
  let customer: Customer;
  let billed = 0;

  beforeAll(async () => {
    customer = await stack.operator.newCustomer({ credits: 1_000 });
  });

  test.each(liveEnds.filter(({ status }) => status === 200))(
    '$scenario: the pages are what the platform holds, one credit each (Live Page)',
    async (end) => {
      const scope = scopeOfEnd(end, serial);

      const walk = await walkLive(customer.api, scope, { doors: doorsOf(customer) });

      expect(walk.end.status).toBe(200);
      billed += walk.pages.length;
      expectLiveTruth(walk, await truth.of(scope), 'v2');
    },
  );

  test.each(liveEnds.filter(({ status }) => status !== 200))(
    '$scenario ends with $status $code, paid only where it is confirmed (Errors)',
    async (end) => {
      const walk = await walkLive(customer.api, scopeOfEnd(end, serial));

      const { error, meta } = errorBody.parse(walk.end.json);
      expect([walk.pages.length, walk.end.status, error.code]).toEqual([
        end.pages,
        end.status,
        end.code,
      ]);
      expect(error.detail?.['reason']).toBe(end.reason);
      const confirmed = end.status < 500;
      expect(meta.credits_charged).toBe(confirmed ? 1 : 0);
      expect(meta.billing_disposition).toBe(confirmed ? 'charged' : 'not_charged');
      expect(walk.end.headers['retry-after'] === undefined).toBe(confirmed);
      billed += walk.pages.length + (confirmed ? 1 : 0);
    },
  );

  test.each(endlessScenarios)(
    '%s gives page after page: only its reader can stop',
    async (name) => {
      const walk = await walkLive(customer.api, scenarioScope(name, serial), { pagesMax: 5 });

      expect([walk.pages.length, walk.end.status]).toEqual([5, 200]);
      billed += 5;
    },
  );

  test('all of it is charged exactly, and the books verify (Live Page price)', async () => {
    expect(await stack.operator.balance(customer.accountId)).toEqual({
      total: 1_000 - billed,
      held: 0,
      available: 1_000 - billed,
    });
    expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
  });
});

test('the bill says what is left, and reading costs as long as there is something', async () => {
  const customer = await stack.operator.newCustomer({ credits: 2 });
  const read = (serialOfOne: number) =>
    customer.api.call({ path: livePathOf(sizeScope(3, serialOfOne)) });

  const metas = [await read(1), await read(2)].map(({ json }) => pageReadMeta.parse(json.meta));
  const third = await read(3);

  expect(metas.map(({ credits_remaining }) => credits_remaining)).toEqual([1, 0]);
  expect([third.status, third.json.error.code]).toEqual([402, 'insufficient_credits']);
  expect(third.json.error.detail).toEqual({ required: 1, available: 0 });
  const control = createSimulatorControl(stack.simulatorUrl);
  const { platform_id: spared } = sizeScope(3, 3);
  const counters = await control.call('GET', `/counters?platform_id=${spared}`);
  expect(JSON.stringify(counters.accounts)).not.toContain(spared);
});

test('texts come in the language asked for, and a chain keeps it', async () => {
  const customer = await stack.operator.newCustomer();
  const scope = sizeScope(2_001, 5);

  const walk = await walkLive(customer.api, scope, { language: 'schinese' });

  expectLiveTruth(walk, await truth.of(scope, 'schinese'), 'v2');
  expect(walk.end.headers['content-language']).toBe('zh-Hans');
});

test('live pages go before a running scan, which goes on all the same (architecture: Live Page)', async () => {
  const customer = await stack.operator.newCustomer();
  const refreshId = await customer.api.accepted(sizeScope(60_000, 6));

  const reads = await Promise.all(
    Array.from({ length: 30 }, (_none, place) =>
      customer.api.call({ path: livePathOf(sizeScope(3, 700 + place)) }),
    ),
  );

  expect(reads.map(({ status }) => status)).toEqual(Array(30).fill(200));
  await untilCompleted(customer.api, customer.projectId, [refreshId]);
  expect((await customer.api.record(refreshId)).outcome).toBe('complete_changed');
});

test('while an application is down, its pages are 502 with a time to wait, and free', async () => {
  const customer = await stack.operator.newCustomer({ credits: 100 });
  const control = createSimulatorControl(stack.simulatorUrl);
  await control.fail({ failure: { kind: 'eresult', code: 20 }, app_id: 570 });
  const read = (place: number) =>
    customer.api.call({ path: livePathOf({ ...sizeScope(3, 800 + place), app_id: 570 }) });

  const answers = [];
  for (let place = 0; place < 30; place += 1) answers.push(await read(place));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
  const last = answers.at(-1);
  expect(last?.json.error.detail.reason).toBe('breaker_open');
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(5);
  expect((await stack.operator.balance(customer.accountId)).available).toBe(100);
});
