import { newRefreshId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { rateWindowMs } from '../src/http/limits/rate-window.domain.ts';
import type { ApiResponse } from './support/api-call.ts';
import { statusPathOf } from './support/paths.ts';
import { testStartMs } from './support/patience.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './support/test-gateway.ts';

/** In the middle of a minute, which ends when a test moves the clock. */
const clock = createTestClock(testStartMs + 17_000);
let world: GatewayWorld;
let gateways: TestGateway[];

beforeAll(async () => {
  world = await openWorld(clock);
  gateways = await Promise.all([startTestGateway(world), startTestGateway(world)]);
});
afterAll(() => world?.close());

const isAdmitted = ({ status }: ApiResponse) => status !== 429;

/**
 * Calls in turn with each key twice, alternating between the gateways. The first call is answered before
 * the others are sent: SecantusDB returns null to one of two upserts of the same new window though it
 * counted both, where MongoDB returns the document.
 */
async function burst(keys: readonly string[], count: number): Promise<ApiResponse[]> {
  const call = (index: number) => {
    const gateway = gateways[index % gateways.length];
    const key = keys[Math.floor(index / 2) % keys.length];
    return gateway?.call({ path: statusPathOf(newRefreshId()), key }) as Promise<ApiResponse>;
  };
  const first = await call(0);
  const others = Array.from({ length: count - 1 }, (_, index) => call(index + 1));
  return [first, ...(await Promise.all(others))];
}

test('two gateways and two Credentials of a Service account admit exactly 120 of 300 in a minute', async () => {
  const one = world.issue({ requestsPerMinute: 120 });
  const two = world.issue({ accountId: one.principal.accountId, requestsPerMinute: 120 });

  const responses = await burst([one.key, two.key], 300);

  expect(responses.filter(isAdmitted)).toHaveLength(120);
  const refused = responses.filter((response) => !isAdmitted(response));
  for (const response of refused) {
    expect(response.json.error.code).toBe('rate_limit_exceeded');
    const detail = {
      limit: 'service_account',
      limit_per_minute: 120,
      remaining: 0,
      reset_seconds: 43,
    };
    expect(response.json.error.detail).toEqual(detail);
    expect(response.headers['retry-after']).toBe('43');
    expect(response.headers['ratelimit-policy']).toBe('"service_account";q=120;w=60');
  }
  // Refused requests consumed nothing: the count stands at the limit and not above.
  const raised = world.issue({ accountId: one.principal.accountId, requestsPerMinute: 121 });
  const more = await burst([raised.key], 4);
  expect(more.filter(isAdmitted)).toHaveLength(1);
  clock.advance(rateWindowMs);
  expect((await burst([one.key], 4)).filter(isAdmitted)).toHaveLength(4);
});

test('what was refused before it was known who asks consumes nothing', async () => {
  const { key, principal } = world.issue({ requestsPerMinute: 2 });
  const abroad = world.issue({
    accountId: principal.accountId,
    requestsPerMinute: 2,
    networkPolicies: [['192.0.2.0/24']],
  });

  const before = [
    ...(await burst([abroad.key, 'unknown key'], 8)),
    await gateways[0]?.call({ path: '/v2/nowhere', key }),
    await gateways[0]?.call({ method: 'DELETE', path: statusPathOf(newRefreshId()), key }),
  ];
  const after = await burst([key], 3);

  expect(before.map((response) => response?.status)).not.toContain(429);
  expect(after.filter(isAdmitted)).toHaveLength(2);
});

test('an authenticated request counts, whatever its outcome (Reads: rate limit)', async () => {
  const { key } = world.issue({ requestsPerMinute: 3, permissions: [] });
  const [gateway] = gateways;

  const responses = [
    await gateway?.call({ path: statusPathOf('no-uuid'), key }),
    await gateway?.call({ method: 'POST', path: `${statusPathOf(newRefreshId())}/cancel`, key }),
    await gateway?.call({ path: statusPathOf(newRefreshId()), key }),
    await gateway?.call({ path: statusPathOf(newRefreshId()), key }),
  ];

  expect(responses.map((response) => response?.status)).toEqual([422, 403, 404, 429]);
  expect(responses.map((response) => response?.headers.ratelimit)).toEqual([
    expect.stringContaining('r=2'),
    expect.stringContaining('r=1'),
    expect.stringContaining('r=0'),
    expect.stringContaining('r=0'),
  ]);
});

describe('the limit of the customer account (Tenancy) [rate-limit]', () => {
  const ofOneCustomer = { hasServiceAccounts: true, trafficLimitPerMinute: 50 };

  test('bounds its Service accounts together, over all gateways, and refuses without consuming', async () => {
    const one = world.issue({ ...ofOneCustomer, requestsPerMinute: 40 });
    const { accountId } = one.principal;
    const two = world.issue({
      ...{ ...ofOneCustomer, accountId, requestsPerMinute: 40 },
      serviceAccountId: `sa_${newRefreshId()}`,
    });

    const first = await burst([one.key], 60);
    const second = await burst([two.key], 60);

    expect(first.filter(isAdmitted)).toHaveLength(40);
    expect(second.filter(isAdmitted)).toHaveLength(10);
    const refusal = (responses: ApiResponse[]) =>
      responses.find((response) => !isAdmitted(response));
    expect(refusal(first)?.json.error.detail.limit).toBe('service_account');
    expect(refusal(second)?.json.error.detail).toMatchObject({
      ...{ limit: 'customer', limit_per_minute: 50, remaining: 0 },
    });
    expect(refusal(second)?.headers['ratelimit-policy']).toBe('"customer";q=50;w=60');
    // What the customer account refused is not counted against the Service account.
    const raised = world.issue({ ...two.principal, trafficLimitPerMinute: 100 });
    expect((await burst([raised.key], 60)).filter(isAdmitted)).toHaveLength(30);
  });

  test('restricts the only Service account where it is set below its rate limit', async () => {
    const { key } = world.issue({ requestsPerMinute: 40, trafficLimitPerMinute: 5 });

    expect((await burst([key], 12)).filter(isAdmitted)).toHaveLength(5);
  });
});
