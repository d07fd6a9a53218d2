import { accountUsage, accountView } from '@inventory/contracts/http/account';
import { refreshLink } from '@inventory/contracts/http/refresh';
import { refreshBatchResults } from '@inventory/contracts/http/refresh-batch';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import { createPublicApi, type PublicApi } from './support/public-api.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';

const stack = openSharedStack();
const platform = createSimulatorControl(stack.simulatorUrl);
afterAll(() => stack.close());

const firstSerial = 10_000;

async function newAccountant() {
  const { accountId, projectId } = await stack.operator.newCustomer({ credits: 1_000 });
  const scopes = ['*', 'customer.account.read.v1', 'customer.account.manage.v1'];
  return { accountId, ...(await stack.operator.newCredential(projectId, { scopes })), projectId };
}

/** Starts a refresh of each size in one batch; their ids. */
async function refreshBatch(api: PublicApi, sizes: readonly number[]): Promise<string[]> {
  const items = sizes.map((assets, serial) => ({
    ...sizeScope(assets, firstSerial + serial),
    max_credits: 125,
    idempotency_key: `size ${assets}`,
  }));
  const path = '/v2/platform/inventory-refreshes/batch';
  const response = await api.call({ method: 'POST', path, body: { items } });
  return refreshBatchResults
    .parse(response.json.data)
    .items.flatMap((item) => (item.success ? [item.data.refreshId] : []));
}

/** The record once it is completed, by waiting on the status as often as it takes. */
async function waited(api: PublicApi, id: string) {
  return await waitFor(`${id} is completed`, async () => {
    const { json } = await api.call({ path: `${refreshLink(id)}?wait=30` });
    return json.data.state === 'completed' && json.data;
  });
}

test('a batch is followed by waiting, and the account shows what it cost (Account self-service) [account-self-service]', async () => {
  const { api, projectId } = await newAccountant();
  const ids = await refreshBatch(api, [10, 2_001, 4_001]);
  const ends = await Promise.all(ids.map((id) => waited(api, id)));

  expect(ends.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'complete_changed'));
  const charged = ends.map(({ billing }) => billing.credits_charged);
  expect(charged).toEqual([1, 2, 3]);

  const account = accountView.parse((await api.call({ path: '/v2/account' })).json.data);
  expect(account.balance).toEqual({ total: 994, held: 0, available: 994 });
  expect(account.credential.projectId).toBe(projectId);

  const usage = accountUsage.parse((await api.call({ path: '/v2/account/usage' })).json.data);
  expect(usage.items).toEqual([
    expect.objectContaining({
      projectId,
      productCode: 'platform.inventory.refresh.v1',
      asset: 'credits',
      count: 3,
      charged: 6,
      reversed: 0,
    }),
  ]);
});

test('refreshes of one inventory are charged each on its own, and credits_remaining leaves out what is reserved (Refresh, Reads) [each-refresh-is-charged-on-its-own, credits-remaining]', async () => {
  const { api, accountId, projectId } = await newAccountant();
  const scope = sizeScope(2_001, firstSerial + 40);
  const ids = await Promise.all([api.accepted(scope), api.accepted(scope)]);
  await untilCompleted(api, projectId, ids);
  const underWay = sizeScope(1, firstSerial + 41);
  await platform.hold(underWay);
  const held = await api.accepted(underWay);

  const page = await api.current(scope, '?page_size=1');

  const settled = (await stack.operator.statement(accountId)).filter(
    ({ kind }) => kind === 'settle',
  );
  expect(settled.map(({ refreshId }) => refreshId).toSorted()).toEqual(ids.toSorted());
  const available = 1_000 - 2 * 2 - 125 - 1;
  expect(page.json.meta.credits_remaining).toBe(available);
  expect(await stack.operator.balance(accountId)).toMatchObject({ held: 125, available });
  await api.cancel(held);
  await platform.release(underWay);
});

test('what is bought with a Credential never exceeds its spend cap, holds and pages alike, and its settlement is what is left of it (Spend cap per Credential) [credential-spend-cap]', async () => {
  const { projectId, api: other } = await stack.operator.newCustomer({ credits: 1_000 });
  const scopes = ['*', 'customer.credentials.manage.v1'];
  const { api: manager } = await stack.operator.newCredential(projectId, { scopes });
  const path = `/v2/projects/${projectId}/credentials`;
  const body = { scopes: ['*'], spend_cap: 125 };
  const { secret, credential_id } = (await manager.call({ method: 'POST', path, body })).json.data;
  const capped = createPublicApi(stack.gatewayUrl, secret);
  const scope = sizeScope(2_001, firstSerial + 42);

  await waited(manager, await manager.accepted(scope));

  await platform.hold(scope);
  const held = await capped.accepted(scope);
  const refused = await capped.current(scope);
  await platform.release(scope);
  await waited(capped, held);
  const paid = await capped.current(scope);
  await manager.call({
    ...{ method: 'PUT', path: `${path}/${credential_id}/spend-cap`, body: { cap: 3 } },
  });
  const last = await capped.current(scope);

  expect([refused.status, paid.status, last.status]).toEqual([402, 200, 402]);
  expect(refused.json.error.detail).toMatchObject({ scope: 'credential', cap: 125, spent: 125 });
  expect(last.json.error.detail).toMatchObject({ scope: 'credential', cap: 3, spent: 3 });
  expect((await other.current(scope)).status).toBe(200);
});
