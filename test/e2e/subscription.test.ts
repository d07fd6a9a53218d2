import { explicitPermissions, inventoryPermissions } from '@inventory/contracts/vocabulary';
import { watchRefresh } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { inventoryPath } from './support/public-api.ts';
import { readAllPages } from './support/read-current.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';

const stack = openSharedStack();
const platform = createSimulatorControl(stack.simulatorUrl);
afterAll(() => stack.close());

const serial = 30_000;
const { setFunding: fund, setSpendCap: setCap } = stack.operator;

async function available(accountId: string) {
  const { balances } = await stack.operator.call('readBalance', { account_id: accountId });
  return Object.fromEntries(balances.map((balance) => [balance.asset, balance.available]));
}

async function billingOf({ api }: Customer, refreshId: string) {
  await watchRefresh(api, refreshId);
  return (await api.record(refreshId)).billing;
}

describe('an account funded by subscription units (Subscription funding)', () => {
  test('pays a refresh, Current, Live Page and V1 with units; its credits stay as they are', async () => {
    const customer = await stack.operator.newCustomer({ credits: 300 });
    const { api, accountId } = customer;
    const scope = sizeScope(2_001, serial);
    await fund(accountId, 1_000);

    const accepted = await api.refresh(scope);
    const billing = await billingOf(customer, accepted.json.data.refresh_id);
    const [first] = await readAllPages(api, scope, { pageSize: 2_000 });
    const live = await api.call({ path: inventoryPath(scope) });
    const { platform_id, app_id, context_id } = scope;
    const v1 = await api.call({
      path: `/api/v1/inventory/${platform_id}/${app_id}/${context_id}`,
    });

    expect(accepted.json.meta).toMatchObject({
      credits_reserved: 0,
      billing_disposition: 'reserved',
      funding: 'subscription',
      units_reserved: 125,
      units_charged: 0,
      units_remaining: 875,
    });
    expect(billing).toEqual({
      state: 'finalized',
      disposition: 'finalize_complete',
      credits_reserved: 0,
      credits_charged: 0,
      credits_released: 0,
      funding: 'subscription',
      units_reserved: 125,
      units_charged: 2,
      units_released: 123,
    });
    const paid = {
      credits_charged: 0,
      credits_remaining: 300,
      billing_disposition: 'allowance_used',
      billing_reason: 'subscription_allowance',
      funding: 'subscription',
      units_charged: 1,
    };
    expect(first?.meta).toMatchObject({ ...paid, units_remaining: 997 });
    expect([live.status, live.json.meta]).toMatchObject([200, { ...paid, units_remaining: 995 }]);
    expect([v1.status, v1.headers]).toMatchObject([
      200,
      {
        'x-credits-charged': '0',
        'x-credits-remaining': '300',
        'x-units-charged': '1',
        'x-units-remaining': '994',
      },
    ]);
    expect(await available(accountId)).toEqual({ credits: 300, units: 994 });
  });

  test('is refused with insufficient_units, however many credits it has, and holds nothing (Errors) [a-rejected-admission]', async () => {
    const { accountId, api } = await stack.operator.newCustomer({ credits: 10_000 });
    await fund(accountId, 124);

    const refused = await api.refresh(sizeScope(1, serial));

    expect([refused.status, refused.json.error]).toMatchObject([
      402,
      { code: 'insufficient_units', detail: { required: 125, available: 124 } },
    ]);
    expect(await available(accountId)).toEqual({ credits: 10_000, units: 124 });
    expect(await stack.operator.openHolds(accountId)).toEqual([]);
  });

  test('that is switched while a refresh is under way settles it in what it was reserved in', async () => {
    const customer = await stack.operator.newCustomer({ credits: 300 });
    const { accountId, api } = customer;
    await fund(accountId, 500);
    const scopes = [sizeScope(2_001, serial + 1), sizeScope(2_001, serial + 2)] as const;
    await Promise.all(scopes.map(platform.hold));
    const inUnits = await api.accepted(scopes[0]);
    await fund(accountId, null);
    const inCredits = await api.accepted(scopes[1]);
    await fund(accountId, 500);
    await Promise.all(scopes.map(platform.release));

    const [units, credits] = [
      await billingOf(customer, inUnits),
      await billingOf(customer, inCredits),
    ];

    expect(units).toMatchObject({ credits_charged: 0, units_charged: 2, units_released: 123 });
    expect(credits).toMatchObject({ credits_reserved: 125, credits_charged: 2 });
    expect(credits.funding).toBeUndefined();
    expect(await available(accountId)).toEqual({ credits: 298, units: 498 });
    const rows = await stack.operator.statement(accountId);
    expect(rows.filter(({ kind }) => kind === 'allowance')).toHaveLength(1);
  });
});

describe('a Project with a monthly spend cap (spend cap)', () => {
  test('is refused beyond it, with the cap and when it is free again, open reservations included', async () => {
    const customer = await stack.operator.newCustomer({ credits: 1_000 });
    const { accountId, api, projectId } = customer;
    await setCap(projectId, 126);

    const scope = sizeScope(2_001, serial + 3);
    await platform.hold(scope);
    const refreshId = await api.accepted(scope);
    const beyond = await api.refresh(sizeScope(1, serial));
    const terms = await stack.operator.call('readTerms', { account_id: accountId });
    await platform.release(scope);
    await billingOf(customer, refreshId);
    await setCap(projectId, 3);
    const page = await api.current(scope);
    const over = await api.current(scope);

    const [cap] = terms.spend_caps;
    expect(cap).toMatchObject({ project_id: projectId, cap: 126, spent: 125 });
    expect([beyond.status, beyond.json.error]).toMatchObject([
      402,
      { code: 'spend_cap_reached', detail: { cap: 126, spent: 125, resets_at: cap?.resets_at } },
    ]);
    expect(Date.parse(cap?.resets_at ?? '')).toBeGreaterThan(Date.now());
    expect(page.status).toBe(200);
    expect([over.status, over.json.error]).toMatchObject([
      402,
      { code: 'spend_cap_reached', detail: { cap: 3, spent: 3 } },
    ]);
    expect(await available(accountId)).toEqual({ credits: 997 });
  });
});

describe('an account with a balance alert (account.balance.low) [account-balance-low]', () => {
  test('is warned by the one entry that takes it below the threshold, and by no later one', async () => {
    const { accountId, projectId } = await stack.operator.newCustomer({ credits: 200 });
    const scopes = [...inventoryPermissions, ...explicitPermissions];
    const { api } = await stack.operator.newCredential(projectId, { scopes });
    const set = await api.call({
      method: 'PUT',
      path: '/v2/account/balance-alert',
      body: { threshold: 100 },
    });

    const scope = sizeScope(2_001, serial + 4);
    await platform.hold(scope);
    const [first, second] = [
      await api.accepted(scope),
      await api.refresh(sizeScope(1, serial + 5)),
    ];
    await platform.release(scope);
    await watchRefresh(api, first);
    await readAllPages(api, scope);

    expect(set.status).toBe(200);
    expect(second.status).toBe(402);
    const commits = (await stack.recordsOf('billing-ledger')).collection('commits');
    const stored = await commits
      .find({ accountId }, { promoteBuffers: true })
      .sort({ _id: 1 })
      .toArray();
    const entries = stored.flatMap(
      (commit) =>
        JSON.parse(String(commit['content'])).entries as { kind: string; lowBalance?: object }[],
    );
    const warnings = entries.filter(({ lowBalance }) => lowBalance !== undefined);
    expect(warnings).toMatchObject([
      { kind: 'reserve', lowBalance: { threshold: 100, available: 75 } },
    ]);
  });
});

test('the books add up after all of it, months, caps and warnings included', async () => {
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
});
