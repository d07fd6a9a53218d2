import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { balanceConnections } from '@inventory/local-stack/balance-connections';
import type { StackService } from '@inventory/local-stack/stack';
import { waitFor } from '@inventory/testkit/wait-for';
import { buildOlder, type OlderBuild } from '../support/older-build.ts';
import { openChance } from '../support/random-seed.ts';
import { root as newerRoot } from '../tidy/tracked-files.ts';
import { expectBalancedBooks } from './support/books.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import { type Customer, createOperator } from './support/operator.ts';
import { readLogs } from './support/read-logs.ts';
import { newReadingCustomer } from './support/reading-customer.ts';
import { type StreamFollower, startFollower } from './support/stream-follower.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';
import { startUnretriedLoad, type UnretriedLoad } from './support/unretried-load.ts';

/** So many that each replica has partitions of some of them. */
const customerCount = 10;
const mixedCycles = 2;
const versions = ['older', 'newer'] as const;
type Version = (typeof versions)[number];

const chance = openChance();
let older: OlderBuild;
let stack: TestStack;
let entry: { readonly url: string; close(): Promise<void> };
let customers: readonly { readonly customer: Customer; readonly follower: StreamFollower }[];
let load: UnretriedLoad;
/** Messages that a version sent and processed while both ran. */
const work = new Map<`${ServiceName} ${Version}`, number>();

beforeAll(async () => {
  older = buildOlder();
  process.stderr.write(`upgrade: from ${older.commit}, TEST_SEED=${chance.seed}\n`);
  stack = await openTestStack({
    root: older.root,
    replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])),
    // A killed member keeps its partitions for a session.
    environment: { KAFKA_SESSION_TIMEOUT_MS: '6000' },
  });
  const { port, close } = await balanceConnections(
    stack.gatewayUrls.map((url) => Number(new URL(url).port)),
  );
  entry = { url: `http://127.0.0.1:${port}`, close };
  customers = await Promise.all(Array.from({ length: customerCount }, newFollowedCustomer));
  load = startUnretriedLoad(
    older,
    entry.url,
    customers.map(({ customer }) => customer),
  );
});
afterAll(async () => {
  await load?.stop();
  for (const { follower } of customers ?? []) await follower.stop();
  await stack?.close();
  await entry?.close();
  older?.remove();
});

/** Made by the older build, which may lack additions to the operator document: it is not compared. */
async function newFollowedCustomer() {
  const operator = createOperator(stack, fetch);
  const { url } = entry;
  const customer = await newReadingCustomer({ operator, gatewayUrls: [url] });
  const { projectId, secret: apiKey } = customer;
  const follower = startFollower({ url, projectId, apiKey, library: older.library });
  await waitFor('the stream has its position', () => follower.hasPosition());
  return { customer, follower };
}

test('replicas of an older build and of this one run side by side in every service under load, forward and back: no request fails but while a replica stops, no refresh is lost or doubled, and the books balance (Upgrading)', async () => {
  await load.untilServed();
  await load.staysServed(mixedCycles);
  await replaceAll('newer');
  await replaceAll('older');
  // As after a release that was skipped: this build reads what both have written.
  await Promise.all(stack.services.map((replica) => replace(replica, 'newer')));
  await untilServed();
  await load.stop();
  const counts = [...work, ...load.failures].map(([name, count]) => `  ${name}: ${count}\n`);
  process.stderr.write(`Messages by build, and requests that failed:\n${counts.join('')}`);

  expect(load.faults).toEqual([]);
  const pairs = serviceNames.flatMap((name) => versions.map((one) => `${name} ${one}` as const));
  expect(pairs.filter((pair) => !work.get(pair))).toEqual([]);
  for (const { customer, follower } of customers) await expectNothingLost(customer, follower);
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
  expect(readLogs(stack)).not.toMatch(/sent to the dead letters|too many dead letters/);
});

/** Service by service and replica by replica, with a kill while both versions run. */
async function replaceAll(to: Version): Promise<void> {
  const from = to === 'newer' ? 'older' : 'newer';
  const order = chance.shuffled(serviceNames);
  process.stderr.write(`upgrade: to the ${to} build: ${order.join(', ')}\n`);
  for (const service of order) {
    const [first, second] = chance.shuffled(stack.replicasOf(service));
    if (!first || !second) throw new Error(`${service} has one replica`);
    await replace(first, to);
    load.disturb();
    await (chance.below(2) === 0 ? first : second).kill('SIGKILL');
    await serveTogether({ [to]: first, [from]: second });
    await replace(second, to);
  }
  await untilServed();
}

async function replace(replica: StackService, to: Version): Promise<void> {
  load.disturb();
  await replica.stop();
  replica.runFrom(to === 'newer' ? newerRoot : older.root);
  await replica.start();
}

async function serveTogether(both: Readonly<Record<string, StackService>>): Promise<void> {
  await untilServed();
  const before = await Promise.all(Object.values(both).map(readWork));
  await load.staysServed(mixedCycles);
  for (const [index, [version, replica]] of Object.entries(both).entries()) {
    const name = `${replica.service} ${version as Version}` as const;
    const done = (await readWork(replica)) - (before[index] ?? 0);
    work.set(name, (work.get(name) ?? 0) + done);
  }
}

async function untilServed(): Promise<void> {
  await waitFor('each replica is ready, and its consumers work', async () => {
    const states = stack.services.map(async ({ url }) => (await fetch(`${url}/readyz`)).text());
    return (await Promise.all(states)).every((text) => JSON.parse(text).status === 'ok');
  });
  await load.untilServed();
}

async function readWork({ url }: StackService): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counters = /^messaging_client_(?:sent|consumed)_messages_total\{.*\} (\d+)$/gm;
  return [...text.matchAll(counters)].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** As this build reads it, whichever of the two has stored it. */
async function expectNothingLost(customer: Customer, follower: StreamFollower): Promise<void> {
  const { api, projectId } = customer;
  const sent = load.sentBy(customer);
  const ids: string[] = [];
  for (const { scope, key, refreshId } of sent) {
    const id = await waitFor('a refresh whose request failed is accepted', async () => {
      const { status, json } = await api.refresh(scope, { key });
      return status === 202 && (json.data.refresh_id as string);
    });
    expect(id).toBe(refreshId ?? id);
    ids.push(id);
  }
  await untilCompleted(api, projectId, ids);
  const { records } = await expectBalancedBooks(stack, customer, ids);
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(['complete_changed']));
  await waitFor('each event was read', () => follower.applied.length >= ids.length);
  const read = follower.applied.map(
    ({ event: { data } }) => 'refresh_id' in data && data.refresh_id,
  );
  expect(read.toSorted()).toEqual(ids.toSorted());
  for (const { scope, size } of sent) {
    const { status, json } = await api.current(scope, '?page_size=1');
    expect([status, json.error?.code, json.data?.total_count]).toEqual([200, undefined, size]);
  }
}
