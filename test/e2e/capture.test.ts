import { errorBody } from '@inventory/contracts/http/meta';
import { type Scope, scopeKey } from '@inventory/contracts/scope';
import { createSlots } from '@inventory/runtime/concurrency';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import { askLivePage, readLiveChain, readLivePage } from './support/live-chain.ts';
import type { Customer } from './support/operator.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { readProjectLog } from './support/project-log.ts';
import type { PublicApi } from './support/public-api.ts';
import { expectTruth, readAllPages } from './support/read-current.ts';
import {
  createSimulatorControl,
  type SimulatorControl,
  scenarioScope,
  sizeScope,
} from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Short, so that a test can be late; long enough for three pages on a busy machine. */
const chainDeadlineMs = 25_000;
const serial = 70;

let stack: TestStack;
let truth: TruthReader;
let simulator: SimulatorControl;
let customer: Customer;
let doors: readonly [PublicApi, PublicApi];

beforeAll(async () => {
  [truth, stack] = await Promise.all([
    openTruthReader(),
    openTestStack({
      replicas: { gateway: 2, 'revision-store': 2 },
      serviceEnvironment: {
        gateway: {
          CAPTURE_CHAIN_DEADLINE_MS: String(chainDeadlineMs),
          CAPTURE_STAGING_TIMEOUT_MS: '8000',
          // Above what a page takes on a busy machine; a killed gateway is cleaned up after both.
          PAGE_DELIVERY_DEADLINE_MS: '10000',
          PAGE_REVERSAL_DELAY_MS: '2000',
        },
      },
    }),
  ]);
  simulator = createSimulatorControl(stack.simulatorUrl);
  customer = await stack.operator.newCustomer();
  const [one, other] = doorsOf(customer);
  if (!one || !other) throw new Error('two gateways');
  doors = [one, other];
});

afterAll(async () => {
  await truth?.close();
  await stack?.close();
});

const doorsOf = ({ api }: Customer): PublicApi[] =>
  stack.replicasOf('gateway').map(({ publicUrl }) => api.at(publicUrl ?? ''));

/** The revision that Current reads, once there is one. */
function captured(scope: Scope) {
  return waitFor(
    'the chain is saved',
    async () => {
      const answer = await customer.api.current(scope, '?page_size=1');
      return answer.status === 200 && answer.json.data;
    },
    { everyMs: 200 },
  );
}

async function refresh(scope: Scope) {
  const id = await customer.api.accepted(scope);
  await untilCompleted(customer.api, customer.projectId, [id]);
  return customer.api.record(id);
}

/** No chain that was complete waits any more, one that ended later is saved, and these are not. */
async function expectNotCaptured(...scopes: Scope[]): Promise<void> {
  const fence = sizeScope(1, fences);
  fences += 1;
  await readLiveChain(doors, fence);
  await captured(fence);
  const captures = (await stack.recordsOf('gateway')).collection('captures');
  await waitFor(
    'no chain waits for its capture',
    async () => (await captures.countDocuments({ dueAt: { $exists: true } })) === 0,
    { everyMs: 200 },
  );
  const scans = (await stack.recordsOf('revision-store')).collection('scans');
  for (const scope of scopes) {
    expect(await scans.countDocuments({ scope: scopeKey(scope) })).toBe(0);
    const answer = await customer.api.current(scope);
    expect(answer.json.error.code).toBe('inventory_revision_not_found');
  }
}
let fences = 9_000;

test('a chain read to its end is the inventory that Current serves, and a refresh finds unchanged (Capture)', async () => {
  const scope = scenarioScope('size-4001', serial);

  const read = await readLiveChain(doors, scope);

  expect(read.map(({ page }) => page.assets.length)).toEqual([2_000, 2_000, 1]);
  const { revision_id, scan_window, verified_at } = await captured(scope);
  expect(verified_at).toBe(scan_window.completed_at);
  const pages = await readAllPages(customer.api, scope);
  expectTruth(pages, await truth.of(scope));
  expect(await refresh(scope)).toMatchObject({ outcome: 'complete_unchanged', revision_id });
});

test('a chain of one page is captured, and has no refresh and no event (Capture)', async () => {
  const alone = await stack.operator.newCustomer();
  const scope = sizeScope(3, serial);

  await readLiveChain(doorsOf(alone), scope);
  await captured(scope);

  expect((await alone.api.list(alone.projectId)).json.data.items).toEqual([]);
  expect(await readProjectLog(stack, alone.projectId)).toEqual([]);
  const kinds = (await stack.operator.statement(alone.accountId)).map(({ kind }) => kind);
  expect(kinds).toEqual(['grant', 'charge']);
});

const wholeInventories = [
  'empty',
  'all-hidden',
  'some-hidden',
  'stacks',
  'huge-amounts',
  'ids-above-2-53',
  'currency-row',
  'missing-instanceid',
  'description-missing',
  'description-later',
  'description-repeated',
  'odd-lists',
  'unknown-fields',
  'blank-middle-page',
  'short-middle-page',
  'cursor-before-last-row',
  'duplicate-asset',
];

describe('the capture of every whole inventory', () => {
  const compared = new Map<string, ReturnType<typeof captureAndRefresh>>();

  /** A few side by side; each test looks at one. */
  beforeAll(() => {
    const slots = createSlots(4);
    for (const name of wholeInventories) {
      const comparison = slots.run(() => captureAndRefresh(scenarioScope(name, serial + 1)));
      comparison.catch(() => {});
      compared.set(name, comparison);
    }
  });
  afterAll(() => Promise.allSettled(compared.values()));

  async function captureAndRefresh(scope: Scope) {
    await readLiveChain(doors, scope);
    const capture = await captured(scope);
    const again = await refresh(scope);
    const [first] = await readAllPages(customer.api, scope);
    return { capture, again, first };
  }

  test.each(wholeInventories)('%s is what a refresh saves (Capture)', async (name) => {
    const comparison = await compared.get(name);
    if (!comparison) throw new Error(`nobody captured ${name}`);
    const { capture, again, first } = comparison;
    const { revision_id, total_count, reported_total_count } = capture;

    // An inventory that changes while it is read may be another one the next time.
    if (name !== 'duplicate-asset') expect(again.outcome).toBe('complete_unchanged');
    if (again.outcome === 'complete_unchanged') {
      expect(again.revision_id).toBe(revision_id);
      expect(first?.page).toMatchObject({ total_count, reported_total_count });
    }
  });
});

test('a chain that is not read to its end, or cannot be, publishes nothing', async () => {
  const [partial, cutShort] = [sizeScope(4_001, serial), scenarioScope('cursor-missing', serial)];

  const first = await readLivePage(doors[0], partial);
  await readLivePage(doors[1], partial, first.next);
  expect((await askLivePage(doors[0], cutShort)).status).toBe(502);

  await expectNotCaptured(partial, cutShort);
});

test('a cursor of another account is no cursor, and its chain is captured without it (Live Page rule 2)', async () => {
  const scope = sizeScope(2_001, serial);
  const foreign = await stack.operator.newCustomer();
  const first = await readLivePage(doors[0], scope);

  const refused = await askLivePage(foreign.api, scope, first.next);

  expect(refused.status).toBe(422);
  expect(errorBody.parse(refused.json).error.code).toBe('invalid_cursor');
  await expectNotCaptured(scope);
  await readLiveChain(doors, scope, first.next);
  expect((await captured(scope)).total_count).toBe(2_001);
});

test('a chain with a page that changed when it was read again is read on and publishes nothing', async () => {
  const scope = sizeScope(4_001, serial + 1);
  const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  const first = await readLivePage(doors[0], scope);
  await readLivePage(doors[1], scope, first.next);

  await simulator.call('POST', path, { kind: 'texts' });
  const again = await readLivePage(doors[1], scope, first.next);
  const rest = await readLiveChain(doors, scope, again.next);
  // Whoever goes on from the page as it was first read gets no further.
  await readLiveChain(doors, scope, first.next);

  expect(rest.at(-1)?.page.assets).toHaveLength(1);
  await expectNotCaptured(scope);
});

test('a page read again unchanged does not hurt the capture', async () => {
  const scope = sizeScope(4_001, serial + 2);
  const first = await readLivePage(doors[0], scope);
  await readLivePage(doors[1], scope, first.next);

  await readLiveChain(doors, scope, first.next);

  expect((await captured(scope)).total_count).toBe(4_001);
});

test('a chain publishes nothing while a page of it is unpaid, and is captured once all are', async () => {
  const scope = sizeScope(4_001, serial + 3);
  const poor = await stack.operator.newCustomer({ credits: 2 });
  const first = await readLivePage(poor.api, scope);
  const second = await readLivePage(poor.api, scope, first.next);
  const refused = await askLivePage(poor.api, scope, second.next);
  expect(refused.status).toBe(402);
  await expectNotCaptured(scope);

  const topUp = { amount: 5, reason: 'test' };
  await stack.operator.call('POST', `/accounts/${poor.accountId}/top-ups`, topUp);
  await waitFor('the credits are there', async () => {
    return (await stack.operator.balance(poor.accountId)).available === 5;
  });
  await readLiveChain([poor.api], scope, second.next);

  expect((await captured(scope)).total_count).toBe(4_001);
});

test('a chain past its deadline is read on and publishes nothing', async () => {
  const scope = sizeScope(2_001, serial + 4);
  const first = await readLivePage(doors[0], scope);
  const startMs = Date.now();
  const late = () => Date.now() - startMs > chainDeadlineMs;
  await waitFor('the chain is late', late, { everyMs: 250 });

  const [last] = await readLiveChain(doors, scope, first.next);

  expect(last?.page.assets).toHaveLength(1);
  await expectNotCaptured(scope);
});

test('a refresh that ends within a chain stays what Current reads (Capture: nothing newer since it began)', async () => {
  const scope = sizeScope(2_001, serial + 5);
  const first = await readLivePage(doors[0], scope);
  const { revision_id } = await refresh(scope);
  const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  await simulator.call('POST', path, { kind: 'remove', positions: [2_000] });
  await simulator.call('POST', path, { kind: 'add', count: 1 });

  await readLiveChain(doors, scope, first.next);
  const scans = (await stack.recordsOf('revision-store')).collection('scans');
  await waitFor(
    'the chain is decided',
    async () => (await scans.countDocuments({ scope: scopeKey(scope), state: 'committed' })) === 2,
    { everyMs: 200 },
  );

  expect((await captured(scope)).revision_id).toBe(revision_id);
});

test('V1 never captures', async () => {
  const scope = sizeScope(5, serial + 6);
  const { platform_id, app_id, context_id } = scope;

  for (const route of ['/api/v1/inventory', '/v1/platform/inventory']) {
    const path = `${route}/${platform_id}/${app_id}/${context_id}`;
    expect((await customer.api.call({ path })).status).toBe(200);
  }

  await expectNotCaptured(scope);
});

/** Whether a chain of so many pages has to be saved: each was paid and none was undone. */
async function isFullyPaid({ accountId }: Customer, pages: number): Promise<boolean> {
  const kinds = (await stack.operator.statement(accountId)).map(({ kind }) => kind);
  return kinds.filter((kind) => kind === 'charge').length === pages && !kinds.includes('reverse');
}

async function untilAllIsDecided(): Promise<void> {
  const records = await stack.recordsOf('gateway');
  await waitFor(
    'every page is paid or undone, every chain saved or given up',
    async () =>
      (await records.collection('page_intents').countDocuments()) === 0 &&
      (await records.collection('captures').countDocuments({ dueAt: { $exists: true } })) === 0,
    { everyMs: 250 },
  );
  const scans = (await stack.recordsOf('revision-store')).collection('scans');
  await waitFor(
    'every scan is decided',
    async () => (await scans.countDocuments({ dueAt: { $exists: true } })) === 0,
    { everyMs: 250 },
  );
}

/** A chain that is paid is on its way to the revision-store when the gateway is done with it. */
async function expectSavedIfPaid(own: Customer, scope: Scope, pages: number): Promise<void> {
  const isSaved = async () => (await customer.api.current(scope)).status === 200;
  const isPaid = await isFullyPaid(own, pages);
  if (isPaid) await waitFor('the paid chain is saved', isSaved);
  expect(await isSaved()).toBe(isPaid);
}

test('a chain whose gateway was killed goes on through another, and is saved exactly when it is fully paid', async () => {
  const own = await stack.operator.newCustomer();
  const [one, other] = doorsOf(own) as [PublicApi, PublicApi];
  const scope = sizeScope(4_001, serial + 7);
  const first = await readLivePage(other, scope);
  const [, second] = stack.replicasOf('gateway');
  await second?.kill('SIGKILL');

  await readLiveChain([one], scope, first.next);

  await untilAllIsDecided();
  await expectSavedIfPaid(own, scope, 3);
  await second?.untilUp();
});

test('of the chains that a gateway delivers while it is killed exactly the fully paid ones are saved', async () => {
  const chains = await Promise.all(
    Array.from({ length: 12 }, async (_none, at) => {
      const own = await stack.operator.newCustomer();
      const [one, other] = doorsOf(own) as [PublicApi, PublicApi];
      const scope = sizeScope(2_001, serial + 10 + at);
      return { own, scope, other, first: await readLivePage(one, scope) };
    }),
  );
  const [, second] = stack.replicasOf('gateway');
  let ended = 0;
  const lasts = chains.map(({ other, scope, first }) =>
    readLivePage(other, scope, first.next).finally(() => {
      ended += 1;
    }),
  );
  await waitFor('the first page is delivered', () => ended > 0, { everyMs: 1 });
  await second?.kill('SIGKILL');
  await Promise.allSettled(lasts);
  await second?.untilUp();

  await untilAllIsDecided();
  for (const { own, scope } of chains) await expectSavedIfPaid(own, scope, 2);
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
});
