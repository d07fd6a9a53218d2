import { errorBody } from '@inventory/contracts/http/error-body';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Customer } from './support/operator.ts';
import type { ApiAnswer } from './support/public-api.ts';
import { livePathOf, v1Paths } from './support/read-live.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, scenarioScope, sizeScope } from './support/simulator-control.ts';

const stack = openSharedStack();
const platform = createSimulatorControl(stack.simulatorUrl);
afterAll(() => stack.close());

let serial = 20_000;
function newScope() {
  serial += 1;
  return sizeScope(3, serial);
}

async function newSubscriber(unitsPerMonth: number): Promise<Customer> {
  const customer = await stack.operator.newCustomer({ credits: 50 });
  await stack.operator.setFunding(customer.accountId, unitsPerMonth);
  return customer;
}

/** Live Page and both routes of V1 refuse, each in its own dialect, before the platform is asked. */
async function expectRefusedEverywhere({ api }: Customer, code: string, text: string) {
  const scopes = [newScope(), newScope(), newScope()] as const;
  const live = await api.call({ path: livePathOf(scopes[0]) });
  const original = await api.call({ path: v1Paths.original(scopes[1]) });
  const alias = await api.call({ path: v1Paths.alias(scopes[2]) });

  expect([live, original, alias].map(({ status }) => status)).toEqual([402, 402, 402]);
  expect(original.json).toEqual({ detail: text });
  expect(alias.json.error.code).toBe(code);
  expect(await Promise.all(scopes.map(platform.requestsOf))).toEqual([0, 0, 0]);
  return errorBody.parse(live.json).error;
}

test('units pay for Live Page and V1, denials too, and the credits stay untouched (Reads: subscription)', async () => {
  const customer = await newSubscriber(4);
  const { api } = customer;
  const headersOf = ({ headers }: ApiAnswer) =>
    ['credits-charged', 'credits-remaining', 'units-charged', 'units-remaining'].map(
      (name) => headers[`x-${name}`],
    );

  const live = await api.call({ path: livePathOf(newScope()) });
  const denied = await api.call({ path: livePathOf(scenarioScope('private', serial)) });
  const original = await api.call({ path: v1Paths.original(newScope()) });
  const alias = await api.call({ path: v1Paths.alias(newScope()) });

  const paidByUnits = {
    credits_charged: 0,
    credits_remaining: 50,
    billing_disposition: 'allowance_used',
    funding: 'subscription',
    units_charged: 1,
  };
  expect(live.json.meta).toMatchObject({
    ...paidByUnits,
    billing_reason: 'subscription_allowance',
    units_remaining: 3,
  });
  expect(denied.status).toBe(403);
  expect(denied.json.meta).toMatchObject({
    ...paidByUnits,
    billing_reason: 'private_confirmed',
    units_remaining: 2,
  });
  expect(headersOf(original)).toEqual(['0', '50', '1', '1']);
  expect(original.headers['x-api-credits-remaining']).toBe('50');
  expect(headersOf(alias)).toEqual(['0', '50', '1', '0']);
  const refusal = await expectRefusedEverywhere(
    customer,
    'insufficient_units',
    'Insufficient subscription units',
  );
  expect(refusal).toMatchObject({
    code: 'insufficient_units',
    detail: { required: 1, available: 0 },
  });
});

test('a replay funded by units takes none', async () => {
  const customer = await newSubscriber(5);
  const wanted = {
    path: livePathOf(newScope()),
    headers: { 'idempotency-key': 'once' },
  };
  await customer.api.call(wanted);

  const again = await waitFor('its key is settled', async () => {
    const answer = await customer.api.call(wanted);
    return answer.status !== 409 && answer;
  });

  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.json.meta).toMatchObject({
    credits_charged: 0,
    credits_remaining: 50,
    funding: 'subscription',
    units_charged: 0,
    units_remaining: 4,
    billing_disposition: 'not_charged',
    billing_reason: 'idempotent_replay',
  });
});

test("a Project's spend cap stops Live Page and V1, and no other Project (Reads: spend cap)", async () => {
  const customer = await stack.operator.newCustomer({ credits: 50 });
  await stack.operator.setSpendCap(customer.projectId, 2);
  expect((await customer.api.call({ path: livePathOf(newScope()) })).status).toBe(200);
  expect((await customer.api.call({ path: v1Paths.alias(newScope()) })).status).toBe(200);

  const refusal = await expectRefusedEverywhere(
    customer,
    'spend_cap_reached',
    'Monthly spend cap reached',
  );

  expect(refusal).toMatchObject({
    code: 'spend_cap_reached',
    detail: { cap: 2, spent: 2, resets_at: expect.any(String) },
  });
  const other = await stack.operator.newProject(customer.accountId);
  const { api } = await stack.operator.newCredential(other);
  expect((await api.call({ path: livePathOf(newScope()) })).status).toBe(200);
});
