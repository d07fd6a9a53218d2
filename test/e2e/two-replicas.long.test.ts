import { serviceNames } from '@inventory/contracts/topics';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import { expectBalancedBooks } from './support/books.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import {
  type AcceptedRefresh,
  type Attempt,
  createPatientClient,
} from './support/patient-client.ts';
import type { PublicApi } from './support/public-api.ts';
import { readLogs } from './support/read-logs.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await openTestStack({
    replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])),
    simulator: { SIMULATOR_LATENCY_MS: '250' },
  });
});
afterAll(() => stack?.close());

/** The same Credential at every gateway. */
function doors(api: PublicApi): readonly PublicApi[] {
  return stack.replicasOf('gateway').map(({ publicUrl }) => api.at(publicUrl ?? ''));
}

/** A load whose test failed is ended all the same. */
const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** Refreshes through both doors, one every so often, until it is ended. */
function startLoad(customer: Customer, firstSerial: number) {
  const startMs = performance.now();
  const attempts: Attempt[] = [];
  const apis = doors(customer.api);
  const clients = [apis, apis.toReversed()].map((order) =>
    createPatientClient({
      apis: order,
      nowMs: () => performance.now() - startMs,
      onAttempt: (attempt) => attempts.push(attempt),
      giveUpAfterMs: 60_000,
    }),
  );
  const posts: Promise<AcceptedRefresh>[] = [];
  let ended = false;
  endings.push(() => {
    ended = true;
  });
  const loop = (async () => {
    for (let round = 0; !ended; round += 1) {
      const serial = firstSerial + round;
      const post = clients[round % 2]?.refresh(sizeScope(1 + ((serial * 97) % 600), serial));
      if (post) posts.push(post);
      post?.catch(() => {});
      await pause(400);
    }
  })();
  return {
    attempts,
    accepted: () => posts.length,
    async end(): Promise<string[]> {
      ended = true;
      await loop;
      return (await Promise.all(posts)).map(({ refreshId }) => refreshId);
    },
  };
}

test('SIGTERM of one replica of every service under load loses nothing', async () => {
  const customer = await stack.operator.newCustomer();
  const load = startLoad(customer, 5_000);
  for (const service of serviceNames) {
    const sent = load.accepted();
    await waitFor('more refreshes are under way', () => load.accepted() > sent + 5);
    const [replica] = stack.replicasOf(service);
    const before = replica?.pid;
    await replica?.restart();
    expect(replica?.pid).not.toBe(before);
  }
  const ids = await load.end();
  await untilCompleted(customer.api, customer.projectId, ids);

  // A stopped replica refuses connections, a stopping one answers 503, and a request repeated through
  // the other may be answered that the first one is still undecided.
  const unexpected = load.attempts.filter(({ status }) => ![0, 202, 503].includes(status));
  expect(unexpected.filter(({ code }) => code !== 'idempotency_in_progress')).toEqual([]);
  await waitFor('every event is logged', async () => {
    const refreshes = (await stack.recordsOf('refresh-collector')).collection('refreshes');
    return (await refreshes.countDocuments({ terminal: true, eventAppended: false })) === 0;
  });
  const { records } = await expectBalancedBooks(stack, customer, ids);
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(['complete_changed']));
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
  expect(readLogs(stack)).not.toMatch(/sent to the dead letters|forced|did not stop in time/);
});

test('collectors that leave, come back and are killed with scans under way lose nothing: every refresh ends once, every hold is settled', async () => {
  const customer = await stack.operator.newCustomer();
  const [first, second] = stack.replicasOf('refresh-collector');
  const refreshes = (await stack.recordsOf('refresh-collector')).collection('refreshes');
  const scansRun = () =>
    waitFor('a scan is under way', async () => {
      const query = { phase: 'collecting', accountId: customer.accountId };
      return (await refreshes.countDocuments(query)) > 0;
    });
  const load = startLoad(customer, 6_000);

  await scansRun();
  await first?.stop();
  await scansRun();
  await first?.start();
  await scansRun();
  await second?.stop('SIGKILL');
  const ids = await load.end();
  await second?.start();
  await untilCompleted(customer.api, customer.projectId, ids);

  await waitFor(
    'every event is logged',
    async () => (await refreshes.countDocuments({ terminal: true, eventAppended: false })) === 0,
  );
  const { records } = await expectBalancedBooks(stack, customer, ids);
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(['complete_changed']));
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
});
