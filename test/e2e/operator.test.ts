import { priceView } from '@inventory/contracts/http/prices';
import { newRefreshId } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { z } from 'zod';
import { runOperator } from '../../services/gateway/test/support/operator-command.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import { createPublicApi } from './support/public-api.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, sizeScope } from './support/simulator-control.ts';

const stack = openSharedStack();
const platform = createSimulatorControl(stack.simulatorUrl);
const { operatorUrl, operatorToken: token, gatewayUrl: publicUrl } = stack;
const scope = sizeScope(3, 60_001);

afterAll(() => stack.close());

function operator(...args: string[]) {
  return runOperator({ OPERATOR_URL: operatorUrl, OPERATOR_TOKEN: token }, args);
}

async function newCustomer() {
  const { account_id } = (await operator('account', 'create', '--name', 'Trader', '--json')).json;
  const account = ['--account', account_id];
  const { project_id } = (await operator('project', 'create', ...account, '--json')).json;
  const issue = ['credential', 'issue', '--project', project_id, '--scope', '*', '--json'];
  return { account, project_id, credential: (await operator(...issue)).json };
}

function useKey(secret: string): Promise<Response> {
  const path = `/v2/platform/inventory-refreshes/${newRefreshId()}`;
  return fetch(publicUrl + path, { headers: { 'x-api-key': secret } });
}

test('a key opens the public door when it is issued and no longer than it is meant to', async () => {
  const { account, credential } = await newCustomer();
  expect((await useKey(credential.secret)).status).toBe(404);

  await operator('account', 'suspend', ...account);
  await waitFor(
    'a suspension closes the door',
    async () => (await useKey(credential.secret)).status === 401,
  );
  await operator('account', 'reactivate', ...account);
  await waitFor('and is taken back', async () => (await useKey(credential.secret)).status === 404);

  await operator('credential', 'revoke', '--credential', credential.credential_id);
  await waitFor(
    'a revocation closes the door',
    async () => (await useKey(credential.secret)).status === 401,
  );
});

test('the operator API is not on the public port', async () => {
  const response = await fetch(`${publicUrl}/operator/v1/accounts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(404);
});

const shownPrices = z.object({ data: priceView });

test('a price list is published once on the real ledger, and customers see it before it takes effect [prices]', async () => {
  const { credential } = await newCustomer();
  const listed = (await operator('prices', 'list', '--json')).json.items;
  const publish = (effectiveAt: string, reservation = '150') =>
    operator(
      ...['prices', 'publish', '--version', String(listed.length + 1), '--json', '--yes'],
      ...['--effective-at', effectiveAt, '--refresh-reservation', reservation],
      ...['--refresh-block', '1', '--refresh-block-assets', '2000', '--refresh-diagnostic', '1'],
      ...['--live-page', '2', '--current-page', '1'],
    );

  const early = await publish('2026-01-01T00:00:00Z');
  const [first, again] = [
    await publish('2100-01-01T00:00:00Z'),
    await publish('2100-01-01T00:00:00Z'),
  ];
  const changed = await publish('2100-01-01T00:00:00Z', '151');
  const shown = await fetch(`${publicUrl}/v2/prices`, {
    headers: { 'x-api-key': credential.secret },
  });

  expect(JSON.parse(early.err).error.code).toBe('effective_date_too_early');
  expect(first.json).toMatchObject({ version: listed.length + 1, refresh_reservation: 150 });
  expect(again.out).toBe(first.out);
  expect(JSON.parse(changed.err).error.detail).toEqual({ next_version: listed.length + 2 });
  expect(shownPrices.parse(await shown.json()).data).toMatchObject({
    priceVersion: 1,
    refresh: { reservation: 125 },
    next: { priceVersion: listed.length + 1, refresh: { reservation: 150 } },
  });
});

test('credits are booked once per key on the real ledger, held, listed and verified', async () => {
  const { account, project_id, credential } = await newCustomer();
  const topUp = ['top-up', ...account, '--key', 'invoice 7', '--json', '--amount'];
  const [first, again] = [await operator(...topUp, '500'), await operator(...topUp, '500')];
  const conflict = await operator(...topUp, '501');
  const refund = await operator('adjust', ...account, '--amount', '-20', '--reason', 'refund');
  const tooMuch = await operator('adjust', ...account, '--amount', '-481', '--reason', 'refund');

  expect(first.json.balance).toEqual({ total: 500, held: 0, available: 500 });
  expect(again.out).toBe(first.out);
  expect(conflict).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(conflict.err).error.code).toBe('idempotency_conflict');
  expect(refund.code).toBe(0);
  expect(tooMuch.code).toBe(1);
  expect(tooMuch.err).toMatch(
    /^insufficient_credits: .*\n {2}required: 481\n {2}available: 480\n$/,
  );

  await platform.hold(scope);
  const refresh_id = await createPublicApi(publicUrl, credential.secret).accepted(scope);
  const { items } = (await operator('holds', ...account, '--json')).json;
  const balance = await operator('balance', ...account, '--json');
  const csv = await operator('statement', ...account, '--csv', '--all');

  expect(items).toMatchObject([{ refresh_id, project_id, amount: 125 }]);
  expect(balance.json.balances).toEqual([
    { asset: 'credits', total: 480, held: 125, available: 355 },
  ]);
  const kinds = csv.out.split('\r\n').map((line) => line.split(',')[2]);
  expect(kinds).toEqual(expect.arrayContaining(['kind', 'grant', 'adjust', 'reserve']));
  const verified = await operator('verify', '--json');
  expect(verified).toMatchObject({ code: 0, json: { ok: true, problems: [] } });
  await platform.release(scope);
});

test('an inventory is erased [erase]', async () => {
  const { platform_id, app_id, context_id } = sizeScope(3, 60_002);
  const customer = await stack.operator.newCustomer();
  const id = await customer.api.accepted({ platform_id, app_id, context_id });
  await untilCompleted(customer.api, customer.projectId, [id]);
  const names = ['--platform-id', platform_id, '--app-id', `${app_id}`, '--context-id'];

  const erased = await operator('erase', ...names, `${context_id}`, '--json', '--yes');

  expect(erased.json.erased).toBe(true);
  const current = await customer.api.current({ platform_id, app_id, context_id });
  expect(current.json.error.code).toBe('inventory_revision_not_found');
});
