import { newRefreshId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { rateWindowMs } from '../src/http/rate-window.domain.ts';
import type { ApiAnswer } from './support/api-call.ts';
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

const isAdmitted = ({ status }: ApiAnswer) => status !== 429;

function burst(keys: readonly string[], count: number): Promise<ApiAnswer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const gateway = gateways[index % gateways.length];
      const key = keys[Math.floor(index / 2) % keys.length];
      return gateway?.call({ path: statusPathOf(newRefreshId()), key }) as Promise<ApiAnswer>;
    }),
  );
}

test('two gateways and two Credentials of an account admit exactly 120 of 300 in a minute', async () => {
  const one = world.issue({ requestsPerMinute: 120 });
  const two = world.issue({ accountId: one.principal.accountId, requestsPerMinute: 120 });

  const answers = await burst([one.key, two.key], 300);

  expect(answers.filter(isAdmitted)).toHaveLength(120);
  const refused = answers.filter((answer) => !isAdmitted(answer));
  for (const answer of refused) {
    expect(answer.json.error.code).toBe('rate_limit_exceeded');
    const detail = { limit_per_minute: 120, remaining: 0, reset_seconds: 43 };
    expect(answer.json.error.detail).toEqual(detail);
    expect(answer.headers['retry-after']).toBe('43');
    expect(answer.headers['ratelimit-policy']).toBe('"account";q=120;w=60');
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

  expect(before.map((answer) => answer?.status)).not.toContain(429);
  expect(after.filter(isAdmitted)).toHaveLength(2);
});

test('an authenticated request counts, whatever its outcome (Reads: rate limit)', async () => {
  const { key } = world.issue({ requestsPerMinute: 3, permissions: [] });
  const [gateway] = gateways;

  const answers = [
    await gateway?.call({ path: statusPathOf('no-uuid'), key }),
    await gateway?.call({ method: 'POST', path: `${statusPathOf(newRefreshId())}/cancel`, key }),
    await gateway?.call({ path: statusPathOf(newRefreshId()), key }),
    await gateway?.call({ path: statusPathOf(newRefreshId()), key }),
  ];

  expect(answers.map((answer) => answer?.status)).toEqual([422, 403, 404, 429]);
  expect(answers.map((answer) => answer?.headers.ratelimit)).toEqual([
    expect.stringContaining('r=2'),
    expect.stringContaining('r=1'),
    expect.stringContaining('r=0'),
    expect.stringContaining('r=0'),
  ]);
});
