import { priceView } from '@inventory/contracts/http/prices';
import { isoTime } from '@inventory/runtime/clock';
import { newScope } from '@inventory/testkit/builders';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { firstPrices } from './support/fake-ledger-reads.ts';
import { refreshPathOf } from './support/paths.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './support/test-gateway.ts';

let world: GatewayWorld;
let clock: TestClock;
let gateways: [TestGateway, TestGateway];

const minuteMs = 60_000;
const { announced: _, ...first } = firstPrices;

beforeAll(async () => {
  clock = createTestClock(Date.UTC(2026, 6, 1));
  world = await openWorld(clock);
  const dearer = { ...first, version: 2, refresh_reservation: 200, live_page: 3 };
  const effective_at = isoTime(clock.now() + minuteMs);
  world.ledger.prices = { ...firstPrices, announced: [{ ...dearer, effective_at }] };
  gateways = await Promise.all([startTestGateway(world), startTestGateway(world)]);
});
afterAll(() => world?.close());

test('the next price list is shown, and all replicas apply it from the same time on [prices, max-credits-too-low]', async () => {
  const { key } = world.issue();
  const refresh = (gateway: TestGateway) =>
    gateway.call({
      method: 'POST',
      path: refreshPathOf(newScope()),
      key,
      body: { max_credits: 125 },
    });
  const shown = await gateways[0].call({ path: '/v2/prices', key });

  clock.advance(minuteMs - 1);
  const before = await Promise.all(gateways.map(refresh));
  clock.advance(1);
  const after = await Promise.all(gateways.map(refresh));

  expect(priceView.strict().parse(shown.json.data)).toMatchObject({
    price_version: 1,
    refresh: { reservation: 125 },
    next: { price_version: 2, refresh: { reservation: 200 }, live_page: { page: 3 } },
  });
  expect(before.map(({ status }) => status)).toEqual([202, 202]);
  expect(after.map(({ status, json }) => [status, json.error.detail])).toEqual([
    [422, { minimum: 200 }],
    [422, { minimum: 200 }],
  ]);
  expect(after.map(({ json }) => json.meta.price_version)).toEqual([2, 2]);
});
