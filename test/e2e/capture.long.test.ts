import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CaptureStory, doorsOf, openCaptureStory } from './support/capture-story.ts';
import { readLiveChain, readLivePage } from './support/live-chain.ts';
import type { Customer } from './support/operator.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Short, so that a test can be late; long enough for three pages. */
const chainDeadlineMs = 25_000;
const serial = 70;

let stack: TestStack;
let story: CaptureStory;

beforeAll(async () => {
  stack = await openTestStack({
    replicas: { gateway: 2, 'revision-store': 2 },
    serviceEnvironment: {
      gateway: {
        CAPTURE_CHAIN_DEADLINE_MS: String(chainDeadlineMs),
        CAPTURE_STAGING_TIMEOUT_MS: '8000',
        // A killed gateway is cleaned up after both.
        PAGE_DELIVERY_DEADLINE_MS: '10000',
        PAGE_REVERSAL_DELAY_MS: '2000',
      },
    },
  });
  story = await openCaptureStory(stack, serial);
});
afterAll(() => stack?.close());

test('a chain past its deadline is read on and publishes nothing', async () => {
  const scope = sizeScope(2_001, serial + 4);
  const first = await readLivePage(story.doors[0], scope);
  const startMs = Date.now();
  const late = () => Date.now() - startMs > chainDeadlineMs;
  await waitFor('the chain is late', late, { everyMs: 250 });

  const [last] = await readLiveChain(story.doors, scope, first.next);

  expect(last?.page.assets).toHaveLength(1);
  await story.expectNotCaptured(scope);
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
      (await records
        .collection('captures')
        .countDocuments({ 'work.dueAtMs': { $exists: true } })) === 0,
    { everyMs: 250 },
  );
  const scans = (await stack.recordsOf('revision-store')).collection('scans');
  await waitFor(
    'every scan is decided',
    async () => (await scans.countDocuments({ 'work.dueAtMs': { $exists: true } })) === 0,
    { everyMs: 250 },
  );
}

/** A chain that is paid is on its way to the revision-store when the gateway is done with it. */
async function expectSavedIfPaid(own: Customer, scope: InventoryKey, pages: number): Promise<void> {
  const isSaved = async () => (await story.customer.api.current(scope)).status === 200;
  const isPaid = await isFullyPaid(own, pages);
  if (isPaid) await waitFor('the paid chain is saved', isSaved);
  expect(await isSaved()).toBe(isPaid);
}

test('a chain whose gateway was killed resumes through another, and is saved exactly when it is fully paid', async () => {
  const own = await stack.operator.newCustomer();
  const [one, other] = doorsOf(stack, own);
  const scope = sizeScope(4_001, serial + 7);
  const first = await readLivePage(other, scope);
  const [, second] = stack.replicasOf('gateway');
  await second?.kill('SIGKILL');

  await readLiveChain([one], scope, first.next);

  await untilAllIsDecided();
  await expectSavedIfPaid(own, scope, 3);
  await second?.untilReady();
});

test('of the chains that a gateway delivers while it is killed exactly the fully paid ones are saved', async () => {
  const chains = await Promise.all(
    Array.from({ length: 12 }, async (_none, at) => {
      const own = await stack.operator.newCustomer();
      const [one, other] = doorsOf(stack, own);
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
  await second?.untilReady();

  await untilAllIsDecided();
  for (const { own, scope } of chains) await expectSavedIfPaid(own, scope, 2);
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
});
