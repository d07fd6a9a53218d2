import { priceView } from '@inventory/contracts/http/prices';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
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
  const dearer = { ...first, version: 2, refreshReservation: 200, livePage: 3 };
  const cheaper = { ...first, version: 3, refreshReservation: 100 };
  const after = (minutes: number) => ({ effectiveAtMs: clock.now() + minutes * minuteMs });
  const announced = [
    { ...dearer, ...after(1) },
    { ...cheaper, ...after(2) },
  ];
  world.ledger.prices = { ...firstPrices, announced };
  gateways = await Promise.all([startTestGateway(world), startTestGateway(world)]);
});
afterAll(() => world?.close());

interface Post {
  readonly key: string;
  readonly scope?: InventoryKey;
  readonly maxCredits?: number;
  readonly idempotencyKey?: string;
}

function refresh(gateway: TestGateway, { key, scope = newScope(), ...post }: Post) {
  const { maxCredits: max_credits = 125, idempotencyKey } = post;
  const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
  const path = refreshPathOf(scope);
  return gateway.call({ method: 'POST', path, key, headers, body: { max_credits } });
}

test('the next price list is shown, and all replicas apply it from the same time on, but for replays of what was accepted before (Refresh: max_credits) [prices, max-credits-too-low, idempotency-key, order-of-checks]', async () => {
  const { key } = world.issue();
  const [gateway] = gateways;
  const accepted = { key, scope: newScope(), maxCredits: 150, idempotencyKey: 'accepted' };
  const shown = await gateway.call({ path: '/v2/prices', key });
  const original = await refresh(gateway, accepted);

  clock.advance(minuteMs - 1);
  const before = await Promise.all(gateways.map((one) => refresh(one, { key })));
  clock.advance(1);
  const after = await Promise.all(gateways.map((one) => refresh(one, { key })));
  const replay = await refresh(gateway, accepted);
  const conflict = await refresh(gateway, { ...accepted, maxCredits: 151 });
  const item = { ...accepted.scope, max_credits: 150 };
  const batch = await gateway.call({
    method: 'POST',
    path: '/v2/platform/inventory-refreshes/batch',
    key,
    body: {
      items: ['accepted', 'new'].map((idempotency_key) => ({ ...item, idempotency_key })),
    },
  });

  expect(asSent(priceView, shown.json.data)).toMatchObject({
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
  expect([replay.status, replay.headers['idempotency-replayed']]).toEqual([202, 'true']);
  expect(replay.json.data.refresh_id).toBe(original.json.data.refresh_id);
  expect(conflict.json.error.code).toBe('idempotency_conflict');
  expect(batch.json.data.items).toEqual([
    expect.objectContaining({ status: 202, idempotency_replayed: true }),
    expect.objectContaining({ status: 422 }),
  ]);
});

test('the least max_credits is the reservation in force, and 125 where that is less (Refresh: max_credits) [max-credits-too-low]', async () => {
  const { key } = world.issue();
  const [gateway] = gateways;
  const least = async (maxCredits: number) => {
    const { status, json } = await refresh(gateway, { key, maxCredits });
    return [status, json.error?.detail];
  };

  const dearer = [await least(199), await least(200)];
  clock.advance(minuteMs);
  const cheaper = [await least(124), await least(125)];

  expect(dearer).toEqual([
    [422, { minimum: 200 }],
    [202, undefined],
  ]);
  expect(cheaper).toEqual([
    [422, { minimum: 125 }],
    [202, undefined],
  ]);
});
