import { v1InvalidRequest } from '@inventory/contracts/http/v1';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ApiResponse } from '../../services/gateway/test/support/api-call.ts';
import { typicalEnds } from './support/live-ends.ts';
import type { Customer } from './support/operator.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { createPublicApi } from './support/public-api.ts';
import { livePathOf, v1Paths } from './support/read-live.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { sizeScope } from './support/simulator-control.ts';
import { dialects, expectSigned, testV1Scenarios } from './support/v1-scenarios.ts';

const stack = openSharedStack();
let truth: TruthReader;

beforeAll(async () => {
  truth = await openTruthReader();
});
afterAll(async () => {
  await truth?.close();
  await stack.close();
});

const serial = 110_000;

describe.each(dialects)('the %s route of V1', (dialect) => {
  let customer: Customer;

  beforeAll(async () => {
    customer = await stack.operator.newCustomer();
  });

  testV1Scenarios(dialect, {
    stack: () => stack,
    truth: () => truth,
    serial,
    ends: typicalEnds,
    endless: ['cursor-cycle'],
  });

  const call = (apiKey: string | null, query = '', headers = {}) =>
    createPublicApi(stack.gatewayUrl, apiKey).call({
      path: v1Paths[dialect](sizeScope(3, serial)) + query,
      headers,
    });

  async function expectFailure(response: ApiResponse, status: number, text: string, code: string) {
    expect(response.status).toBe(status);
    expectSigned(response);
    expect(response.headers['x-credits-charged']).toBeUndefined();
    if (dialect === 'original') expect(response.json).toEqual({ detail: text });
    else expect(response.json.error.code).toBe(code);
  }

  test('401, 402, 403, 409, 422 and 429 are each its own answer (V1 status codes) [v1-rule-5]', async () => {
    const poor = await stack.operator.newCustomer({ credits: 0 });
    const slow = await stack.operator.newCustomer({ requestsPerMinute: 1 });
    const narrow = await stack.operator.newCredential(customer.projectId, {
      scopes: ['platform.inventory.refresh.v1'],
    });
    const headers = { 'idempotency-key': `conflict-${dialect}` };

    await expectFailure(await call(null), 401, 'API Key is missing', 'missing_api_key');
    await expectFailure(await call('wrong'), 401, 'Invalid API Key', 'invalid_api_key');
    await expectFailure(
      await call(poor.secret),
      402,
      'Insufficient credits',
      'insufficient_credits',
    );
    await expectFailure(await call(narrow.secret), 403, 'Unauthorized', 'permission_denied');
    expect((await call(customer.secret, '', headers)).status).toBe(200);
    await expectFailure(
      await call(customer.secret, '?language=german', headers),
      409,
      'Idempotency-Key was used with other inputs',
      'idempotency_conflict',
    );
    const invalid = await call(customer.secret, '?start_assetid=x');
    expect(invalid.status).toBe(422);
    v1InvalidRequest.strict().parse(invalid.json);
    expect((await call(slow.secret)).status).toBe(200);
    // A minute may end between any two of them.
    const limited = await waitFor('a second request falls into one minute', async () => {
      const further = await call(slow.secret);
      return further.status !== 200 && further;
    });
    await expectFailure(limited, 429, 'Rate limit exceeded', 'rate_limit_exceeded');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });
});

test('V1 shares its price, its permission and its rate window with Live Page', async () => {
  const customer = await stack.operator.newCustomer({ requestsPerMinute: 3, credits: 10 });
  const scope = sizeScope(3, serial);

  const responses = [
    await customer.api.call({ path: v1Paths.original(scope) }),
    await customer.api.call({ path: v1Paths.alias(scope) }),
    await customer.api.call({ path: livePathOf(scope) }),
    await customer.api.call({ path: v1Paths.original(scope) }),
  ];

  // A window may end in between; all four fit into no single one.
  expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3);
  const paid = responses.filter(({ status }) => status === 200).length;
  expect((await stack.operator.balance(customer.accountId)).available).toBe(10 - paid);
  const rows = await stack.operator.statement(customer.accountId);
  const products = rows.filter(({ kind }) => kind === 'charge').map((row) => row.productCode);
  expect(new Set(products)).toEqual(new Set(['platform.inventory.page.v1']));
});
