import { findFreePort } from '@inventory/backends/free-port';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { closeCalls } from '../../services/gateway/test/support/api-call.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { attemptOf } from './support/patient-client.ts';
import type { PublicApi } from './support/public-api.ts';
import { openRoute, type Route, routeWhileReady } from './support/ready-router.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** More than a whole session of the consumers: by then each of them counts as not working. */
const outageMs = 20_000;
const recoveryMs = 90_000;
const saved = sizeScope(100, 1);

let stack: TestStack | undefined;
let customer: Customer;
/** The customer's API behind the address that leads to ready gateways only. */
let api: PublicApi;
let refreshId: string;
let unreachable: ServiceName | null = null;
const databases = new Map<ServiceName, Route>();
const routes: Route[] = [];

const urlSettings = {
  gateway: 'GATEWAY_URL',
  'refresh-collector': 'REFRESH_COLLECTOR_URL',
  'billing-ledger': 'BILLING_LEDGER_URL',
  'revision-store': 'REVISION_STORE_URL',
  'event-stream': 'EVENT_STREAM_URL',
} as const satisfies Record<ServiceName, string>;

/** Every service is reached through its route only, and reaches MongoDB through one of its own. */
beforeAll(async () => {
  const mongodb = await findFreePort();
  const urls: Record<string, string> = {};
  const serviceEnvironment: Partial<Record<ServiceName, Record<string, string>>> = {};
  for (const name of serviceNames) {
    const route = await routeWhileReady(() => replicaOf(name, 'url'));
    routes.push(route);
    urls[urlSettings[name]] = route.url;
    const database = await openRoute(() => (unreachable === name ? null : mongodb));
    databases.set(name, database);
    serviceEnvironment[name] = {
      MONGODB_URI: `mongodb://127.0.0.1:${database.port}/?directConnection=true`,
    };
  }
  for (const settings of Object.values(serviceEnvironment)) Object.assign(settings, urls);
  const entry = await routeWhileReady(() => replicaOf('gateway', 'publicUrl'));
  routes.push(entry);
  const backendPorts = { mongodb };
  stack = await openTestStack({ ownBackends: true, backendPorts, serviceEnvironment });
  customer = await stack.operator.newCustomer();
  api = customer.api.at(entry.url);
  await waitFor('the routes lead to ready replicas', async () => {
    const { status } = (await responses()).account;
    return status === 200;
  });
  refreshId = await api.accepted(saved);
  await untilCompleted(api, customer.projectId, [refreshId]);
});
afterAll(async () => {
  closeCalls();
  await stack?.close();
  for (const route of [...routes, ...databases.values()]) await route.close();
});

function replicaOf(name: ServiceName, port: 'url' | 'publicUrl') {
  const replica = stack?.service(name);
  if (!replica) return null;
  return { healthUrl: replica.url, port: Number(new URL(replica[port] ?? replica.url).port) };
}

interface Readiness {
  readonly status: string;
  readonly problems: readonly string[];
}

async function readinessOf(name: ServiceName): Promise<Readiness> {
  const response = await fetch(`${stack?.service(name).url}/readyz`);
  return (await response.json()) as Readiness;
}

/** `status` or `status code` of one request of each kind; 0 where no replica took it. */
async function responses() {
  const nowMs = () => performance.now();
  const { projectId } = customer;
  const calls = {
    status: () => api.status(refreshId),
    list: () => api.list(projectId),
    account: () => api.call({ path: '/v2/account' }),
    current: () => api.current(saved, '?page_size=10'),
    refresh: () => api.refresh(sizeScope(1, 50_000)),
  };
  const entries = Object.entries(calls).map(async ([name, call]) => {
    const { attempt } = await attemptOf('status', nowMs, call);
    return [name, { status: attempt.status, code: attempt.code }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<
    keyof typeof calls,
    { readonly status: number; readonly code: string | null }
  >;
}

async function expectEverythingServed(): Promise<void> {
  await waitFor(
    'every service is ready, and every request is served',
    async () => {
      const states = await Promise.all(serviceNames.map(readinessOf));
      const given = await responses();
      return (
        states.every(({ status }) => status === 'ok') &&
        Object.values(given).every(({ status }) => status === 200 || status === 202)
      );
    },
    { withinMs: recoveryMs, everyMs: 500 },
  );
}

test('without Kafka every service stays behind its address, degraded, and reads are served', async () => {
  await expectEverythingServed();
  const startMs = performance.now();
  await stack?.kafka?.stop('SIGKILL');
  await waitFor('the outage lasts longer than any session', () => {
    return performance.now() - startMs > outageMs;
  });

  const states = await Promise.all(serviceNames.map(readinessOf));
  const given = await responses();

  await stack?.kafka?.start();
  for (const state of states) {
    expect(state).toEqual({ status: 'degraded', problems: expect.any(Array) });
    for (const problem of state.problems) {
      expect(problem).toMatch(/^Kafka: the consumer of [a-z.0-9, -]+ is not working$/);
    }
  }
  expect(given).toEqual({
    status: { status: 200, code: null },
    list: { status: 200, code: null },
    account: { status: 200, code: null },
    current: { status: 503, code: 'billing_unavailable' },
    refresh: { status: 503, code: 'service_unavailable' },
  });
  await expectEverythingServed();
});

const served = { status: 200, code: null };
const failsWith = (code: string | null) => ({ status: code === null ? 0 : 503, code });

test.each<[ServiceName, Partial<Awaited<ReturnType<typeof responses>>>]>([
  ['refresh-collector', { account: served, current: served }],
  ['billing-ledger', { status: served, list: served, current: failsWith('billing_unavailable') }],
  [
    'revision-store',
    { status: served, account: served, current: failsWith('service_unavailable') },
  ],
  ['event-stream', { status: served, list: served, account: served, current: served }],
])(
  'without the MongoDB of %s it alone is taken out, and the requests of the others are served',
  async (name, expected) => {
    await expectEverythingServed();
    unreachable = name;
    databases.get(name)?.recheck();

    const failing = await waitFor(`${name} is not ready`, async () => {
      const state = await readinessOf(name);
      return state.status === 'failing' && state;
    });
    const others = serviceNames.filter((other) => other !== name);
    const states = await Promise.all(others.map(readinessOf));
    const given = await responses();

    unreachable = null;
    expect(failing.problems).toContain('MongoDB is unavailable');
    expect(states.map(({ status }) => status)).toEqual(others.map(() => 'ok'));
    expect(given).toMatchObject(expected);
    await expectEverythingServed();
  },
);

test('without the MongoDB of the gateway its address refuses connections until it is back', async () => {
  await expectEverythingServed();
  unreachable = 'gateway';
  databases.get('gateway')?.recheck();

  await waitFor('the gateway is taken out', async () => {
    const given = await responses();
    return Object.values(given).every(({ status }) => status === 0);
  });

  unreachable = null;
  await expectEverythingServed();
});
