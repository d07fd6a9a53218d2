import { v1AliasFailure, v1InvalidRequest, v1OriginalFailure } from '@inventory/contracts/http/v1';
import { endlessScenarios, type LiveEnd, liveEnds, scopeOfEnd } from './support/live-ends.ts';
import type { Customer } from './support/operator.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { type ApiAnswer, createPublicApi } from './support/public-api.ts';
import { expectLiveTruth, livePathOf, v1Paths, walkV1 } from './support/read-live.ts';
import { scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;
let truth: TruthReader;

beforeAll(async () => {
  [truth, stack] = await Promise.all([
    openTruthReader(),
    openTestStack({
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

/** The texts of the original route by status, where the platform is met. */
const texts: Readonly<Record<number, string>> = {
  403: 'Inventory is private',
  404: 'Inventory not found',
  502: 'Upstream unavailable',
  504: 'Upstream timeout',
};

function expectSigned(answer: ApiAnswer): void {
  expect(answer.headers['deprecation']).toMatch(/^@[0-9]+$/);
  expect(answer.headers['link']).toContain('rel="successor-version"');
  expect(answer.headers['x-request-id']).toMatch(/^req_/);
}

const dialects = ['original', 'alias'] as const;

/** Whatever the platform answers, a dialect only words it: every end in one of them, each status in both. */
function endsIn(dialect: (typeof dialects)[number]): readonly LiveEnd[] {
  const turn = dialects.indexOf(dialect);
  return liveEnds.filter((end) => {
    const alike = liveEnds.filter(({ status }) => status === end.status);
    return alike.length === 1 || alike.indexOf(end) % dialects.length === turn;
  });
}

describe.each(dialects)('the %s route of V1', (dialect) => {
  const serial = dialect === 'original' ? 400 : 401;
  let customer: Customer;
  let another: Customer;
  let billed = 0;

  beforeAll(async () => {
    customer = await stack.operator.newCustomer({ credits: 1_000 });
    another = await stack.operator.newCustomer();
  });

  function expectBill(answer: ApiAnswer, remaining: number): void {
    expect(answer.headers['x-credits-charged']).toBe('1');
    expect(answer.headers['x-credits-remaining']).toBe(String(remaining));
    const apiCredits = answer.headers['x-api-credits-remaining'];
    expect(apiCredits).toBe(dialect === 'original' ? String(remaining) : undefined);
  }

  test.each(endsIn(dialect).filter(({ status }) => status === 200))(
    '$scenario: the pages are what the platform holds, one credit each (V1 rule 4)',
    async (end) => {
      const scope = scopeOfEnd(end, serial);

      const walk = await walkV1(customer.api, dialect, scope);

      expect(walk.end.status).toBe(200);
      billed += walk.pages.length;
      expectLiveTruth(walk, await truth.of(scope), 'v1');
      expectBill(walk.end, 1_000 - billed);
      expectSigned(walk.end);
    },
  );

  test.each(endsIn(dialect).filter(({ status }) => status !== 200))(
    '$scenario ends with $status in its own dialect (V1 rule 5)',
    async (end) => {
      const scope = scopeOfEnd(end, serial);
      // A row of failures alone would open the breaker of the application.
      const healthy = { ...sizeScope(2, serial * 100 + billed), app_id: scope.app_id };
      if (end.scenario !== 'unknown-app') await walkV1(another.api, dialect, healthy);

      const walk = await walkV1(customer.api, dialect, scope);

      expect([walk.pages.length, walk.end.status]).toEqual([end.pages, end.status]);
      expectSigned(walk.end);
      if (dialect === 'original') {
        expect(v1OriginalFailure.strict().parse(walk.end.json).detail).toBe(texts[end.status]);
      } else {
        expect(v1AliasFailure.strict().parse(walk.end.json).error.code).toBe(end.code);
      }
      const confirmed = end.status < 500;
      billed += walk.pages.length + (confirmed ? 1 : 0);
      if (confirmed) expectBill(walk.end, 1_000 - billed);
      else expect(walk.end.headers['x-credits-charged']).toBeUndefined();
      expect(walk.end.headers['retry-after'] === undefined).toBe(confirmed);
    },
  );

  test.each(endlessScenarios)(
    '%s gives page after page: only its reader can stop',
    async (name) => {
      const scope = scenarioScope(name, serial);

      const walk = await walkV1(customer.api, dialect, scope, { pagesMax: 4 });

      expect([walk.pages.length, walk.end.status]).toEqual([4, 200]);
      billed += 4;
    },
  );

  test('all of it is charged exactly', async () => {
    const { available } = await stack.operator.balance(customer.accountId);

    expect(available).toBe(1_000 - billed);
  });

  const call = (apiKey: string | null, query = '', headers = {}) =>
    createPublicApi(stack.gatewayUrl, apiKey).call({
      path: v1Paths[dialect](sizeScope(3, serial)) + query,
      headers,
    });

  async function expectFailure(answer: ApiAnswer, status: number, text: string, code: string) {
    expect(answer.status).toBe(status);
    expectSigned(answer);
    expect(answer.headers['x-credits-charged']).toBeUndefined();
    if (dialect === 'original') expect(answer.json).toEqual({ detail: text });
    else expect(answer.json.error.code).toBe(code);
  }

  test('401, 402, 403, 409, 422 and 429 are each its own answer (V1 status codes)', async () => {
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
    // A minute may end after the first of them, and not after the second too.
    const further = [await call(slow.secret), await call(slow.secret)];
    const limited = further.find(({ status }) => status !== 200) as ApiAnswer;
    await expectFailure(limited, 429, 'Rate limit exceeded', 'rate_limit_exceeded');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });
});

test('V1 shares its price, its permission and its rate window with Live Page', async () => {
  const customer = await stack.operator.newCustomer({ requestsPerMinute: 3, credits: 10 });
  const scope = sizeScope(3, 950);

  const answers = [
    await customer.api.call({ path: v1Paths.original(scope) }),
    await customer.api.call({ path: v1Paths.alias(scope) }),
    await customer.api.call({ path: livePathOf(scope) }),
    await customer.api.call({ path: v1Paths.original(scope) }),
  ];

  // A window may end in between; all four fit into no single one.
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(3);
  const paid = answers.filter(({ status }) => status === 200).length;
  expect((await stack.operator.balance(customer.accountId)).available).toBe(10 - paid);
  const rows = await stack.operator.statement(customer.accountId);
  const products = rows.filter(({ kind }) => kind === 'charge').map((row) => row.product_code);
  expect(new Set(products)).toEqual(new Set(['platform.inventory.page.v1']));
});
