import { pageReadMeta, refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import { refreshRecord } from '@inventory/contracts/http/refresh';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { type FakeDecision, viewOf } from './support/fake-collector.ts';
import { saveInventory } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { currentPathOf, refreshPathOf } from './support/paths.ts';

const limit = { cap: 200, spent: 176, resets_at: '2026-12-01T00:00:00.000Z' };
const unitTerms = { priceVersion: 1, creditsReserved: 0, unitsReserved: 125, unitsRemaining: 875 };
const inUnits: FakeDecision = {
  decision: 'accepted',
  ...unitTerms,
  deadlineAtMs: Date.UTC(2026, 11, 1),
  retryAfterSeconds: 7,
};

const post = (key: string, idempotencyKey = 'first') =>
  gateway.call({
    method: 'POST',
    path: refreshPathOf(scope),
    key,
    body: { max_credits: 125 },
    headers: { 'Idempotency-Key': idempotencyKey },
  });
const scope = newScope();

test('a refresh that units fund says so when it is accepted, and again when it is replayed (Subscription funding) [units-or-credits, replay, subscription-meta]', async () => {
  const { key } = world.issue();
  world.collector.decide = () => inUnits;

  const first = await post(key);

  expect(first.status).toBe(202);
  expect(asSent(refreshAcceptanceMeta, first.json.meta)).toMatchObject({
    credits_reserved: 0,
    billing_disposition: 'reserved',
    billing_reason: 'subscription_allowance',
    funding: 'subscription',
    units_reserved: 125,
    units_charged: 0,
    units_remaining: 875,
  });
  expect(asSent(refreshRecord, first.json.data).billing).toEqual({
    state: 'reserved',
    disposition: null,
    credits_reserved: 0,
    credits_charged: null,
    credits_released: null,
    funding: 'subscription',
    units_reserved: 125,
    units_charged: null,
    units_released: null,
  });

  world.collector.decide = (request) => {
    const winner = `${request.refreshId.slice(0, -1)}0`;
    world.collector.views.set(winner, viewOf(request, { acceptance: unitTerms }));
    return { decision: 'duplicate', winnerRefreshId: winner };
  };
  const again = await post(key);

  const { request_id: _first, rate_limit: _limit, ...meta } = first.json.meta;
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.json.meta).toMatchObject(meta);
});

test('a page that units pay leaves the credits as they are and shows both (Subscription funding)', async () => {
  const { key, principal } = world.issue();
  saveInventory(world.revisions, scope, {});
  world.ledger.setBalance(principal.accountId, 50);
  world.ledger.paysWithUnits = (charge) => charge.accountId === principal.accountId;

  const response = await gateway.call({ path: currentPathOf(scope), key });

  expect(response.status).toBe(200);
  expect(asSent(pageReadMeta, response.json.meta)).toMatchObject({
    credits_charged: 0,
    credits_remaining: 300,
    billing_disposition: 'allowance_used',
    billing_reason: 'subscription_allowance',
    funding: 'subscription',
    units_charged: 1,
    units_remaining: 49,
  });
});

test('a page beyond the Project’s spend cap is refused with the cap, and nothing is charged (Errors)', async () => {
  const { key } = world.issue();
  saveInventory(world.revisions, scope, {});
  world.ledger.refuseCharge = () => ({
    code: 'spend_cap_reached',
    detail: limit,
  });

  const { status, json } = await gateway.call({ path: currentPathOf(scope), key });

  expect(status).toBe(402);
  expect(json.error).toMatchObject({ code: 'spend_cap_reached', detail: limit });
  expect(json.meta.credits_charged).toBe(0);
});
