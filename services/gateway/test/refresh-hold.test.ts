import { refreshRecord } from '@inventory/contracts/http/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { accepted, refused } from './support/fake-collector.ts';
import { gateway, world } from './support/file-gateway.ts';
import { refreshPathOf } from './support/paths.ts';

type Request = MessageBody<'refresh.request.v1'>;

const deadline = isoTime(systemClock.now() + 1_800_000);

function post(key: string) {
  return gateway.call({
    method: 'POST',
    path: refreshPathOf(newScope()),
    key,
    body: { max_credits: 125 },
  });
}

/** The ledger's reply to a reservation. */
async function tellOfHold(
  request: Request,
  fields: Partial<BillingOutcome> = {},
  deadlineAtMs: number | null = Date.parse(deadline),
): Promise<void> {
  const { refreshId, accountId, projectId, requestId } = request;
  const outcome: BillingOutcome = {
    commandId: `reserve:${refreshId}`,
    kind: 'reserve',
    result: 'applied',
    refusal: null,
    accountId,
    projectId,
    refreshId,
    requestId,
    seq: 7,
    atMs: systemClock.now(),
    asset: 'credits',
    productCode: 'platform.inventory.refresh.v1',
    priceVersion: 3,
    amountReserved: 125,
    amountCharged: 0,
    amountReleased: 0,
    disposition: null,
    balance: { total: 1_000, held: 125, available: 875 },
    creditsAvailable: null,
    ...fields,
  };
  const body = {
    waitingId: `request:${refreshId}`,
    outcome,
    deadlineAtMs,
    retryAfterSeconds: deadlineAtMs === null ? null : 25,
  };
  const reply = { type: 'reply.billing-outcome.v1', id: `hold:${refreshId}`, body } as const;
  await world.bus.publish([reply, reply]);
}

test('a hold is the acceptance: the response does not wait for the collector (Refresh: 202)', async () => {
  const { key } = world.issue();
  world.collector.decide = async (request) => {
    await tellOfHold(request);
    return null;
  };

  const response = await post(key);

  expect(response.status).toBe(202);
  const record = asSent(refreshRecord, response.json.data);
  expect(record).toMatchObject({ state: 'queued', deadline_at: deadline });
  expect(response.headers['retry-after']).toBe('25');
  expect(record.billing).toMatchObject({ state: 'reserved', credits_reserved: 125 });
  expect(response.json.meta).toMatchObject({ price_version: 3, credits_reserved: 125 });
});

test('a hold of subscription units says what is left of them (Subscription funding) [units-or-credits, subscription-meta]', async () => {
  const { key } = world.issue();
  world.collector.decide = async (request) => {
    const balance = { total: 500, held: 125, available: 375 };
    await tellOfHold(request, { asset: 'units', balance });
    return null;
  };

  const response = await post(key);

  expect(response.status).toBe(202);
  expect(response.json.data.billing).toMatchObject({
    funding: 'subscription',
    units_reserved: 125,
  });
  expect(response.json.meta).toMatchObject({
    credits_reserved: 0,
    units_remaining: 375,
  });
});

test('a refusal is published by the collector, after its key is released (Idempotency-Key)', async () => {
  const { key } = world.issue();
  const refusal = {
    code: 'insufficient_credits',
    detail: { required: 125, available: 3 },
  } as const;
  world.collector.decide = async (request) => {
    await tellOfHold(request, { result: 'refused', refusal, amountReserved: 0 });
    return refused({ ...refusal, detail: { required: 125, available: 4 } });
  };

  const response = await post(key);

  expect([response.status, response.json.error.code]).toEqual([402, 'insufficient_credits']);
  expect(response.json.error.detail).toMatchObject({ available: 4 });
});

test('no other outcome of the ledger is an acceptance (Refresh: key)', async () => {
  const { key } = world.issue();
  world.collector.decide = async (request) => {
    await tellOfHold(request, { kind: 'settle', amountReserved: 0, amountCharged: 1 });
    await tellOfHold(request, {}, null);
    // It comes last: one of the others, taken for the decision, would have been the answer.
    return accepted;
  };

  const response = await post(key);

  // The messages of the ledger carry 3.
  expect(response.json.meta).toMatchObject({ price_version: 1 });
});
