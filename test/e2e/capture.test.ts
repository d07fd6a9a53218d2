import { errorBody } from '@inventory/contracts/http/error-body';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type CaptureStory,
  doorsOf,
  openCaptureStory,
  testWholeCaptures,
} from './support/capture-story.ts';
import { askLivePage, readLiveChain, readLivePage } from './support/live-chain.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { readProjectLog } from './support/project-log.ts';
import { expectTruth, readAllPages } from './support/read-current.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, scenarioScope, sizeScope } from './support/simulator-control.ts';

const serial = 120_000;

const stack = openSharedStack();
const simulator = createSimulatorControl(stack.simulatorUrl);
let truth: TruthReader;
let story: CaptureStory;

beforeAll(async () => {
  truth = await openTruthReader();
  story = await openCaptureStory(stack, serial);
});
afterAll(async () => {
  await truth?.close();
  await stack.close();
});

test('a chain read to its end is the inventory that Current serves, and a refresh finds unchanged (Capture)', async () => {
  const scope = scenarioScope('size-4001', serial);

  const read = await readLiveChain(story.doors, scope);

  expect(read.map(({ page }) => page.assets.length)).toEqual([2_000, 2_000, 1]);
  const { revision_id, scan_window, verified_at } = await story.captured(scope);
  expect(verified_at).toBe(scan_window.completed_at);
  const pages = await readAllPages(story.customer.api, scope);
  expectTruth(pages, await truth.of(scope));
  expect(await story.refresh(scope)).toMatchObject({ outcome: 'complete_unchanged', revision_id });
});

test('a chain of one page is captured, and has no refresh and no event (Capture)', async () => {
  const alone = await stack.operator.newCustomer();
  const scope = sizeScope(3, serial);

  await readLiveChain(doorsOf(stack, alone), scope);
  await story.captured(scope);

  expect((await alone.api.list(alone.projectId)).json.data.items).toEqual([]);
  expect(await readProjectLog(stack, alone.projectId)).toEqual([]);
  const kinds = (await stack.operator.statement(alone.accountId)).map(({ kind }) => kind);
  expect(kinds).toEqual(['grant', 'charge']);
});

describe('the capture of a whole inventory with odd pages', () => {
  const scenarios = ['all-hidden', 'currency-row', 'description-later', 'duplicate-asset'];
  testWholeCaptures(() => story, scenarios, serial + 1);
});

test('a chain that is not read to its end, or cannot be, publishes nothing', async () => {
  const [partial, cutShort] = [sizeScope(4_001, serial), scenarioScope('cursor-missing', serial)];

  const first = await readLivePage(story.doors[0], partial);
  await readLivePage(story.doors[1], partial, first.next);
  expect((await askLivePage(story.doors[0], cutShort)).status).toBe(502);

  await story.expectNotCaptured(partial, cutShort);
});

test('a chain whose cursor lost its asset continues from the page before, read again, and is captured whole (Capture) [capture]', async () => {
  const scope = scenarioScope('cursor-removed-blank-end', serial);

  const pages = await readLiveChain(story.doors, scope);

  // The second page is the first one again: its end moved behind the asset that was removed.
  expect(pages.map(({ page }) => page.assets.length)).toEqual([2_000, 2_000, 2_000]);
  expect((await story.captured(scope)).total_count).toBe(4_000);
  expectTruth(await readAllPages(story.customer.api, scope), await truth.of(scope));
});

test('a last page without assets is the end of a capture once the page before ends as it did (Capture)', async () => {
  const scope = scenarioScope('hidden-end', serial);

  const pages = await readLiveChain(story.doors, scope);

  expect(pages.map(({ page }) => page.assets.length)).toEqual([2_000, 2_000, 0]);
  expect((await story.captured(scope)).total_count).toBe(4_000);
});

test('a chain whose end moves each time it is checked is read to an end and publishes nothing (Capture)', async () => {
  const scope = scenarioScope('cursor-removed-each-time', serial);

  const pages = await readLiveChain(story.doors, scope);

  expect(pages.at(-1)?.page.assets).toEqual([]);
  await story.expectNotCaptured(scope);
});

test('a cursor of another account is no cursor, and its chain is captured without it (Live Page rule 2) [live-page-rule-2]', async () => {
  const scope = sizeScope(2_001, serial);
  const foreign = await stack.operator.newCustomer();
  const first = await readLivePage(story.doors[0], scope);

  const refused = await askLivePage(foreign.api, scope, first.next);

  expect(refused.status).toBe(422);
  expect(errorBody.parse(refused.json).error.code).toBe('invalid_cursor');
  await story.expectNotCaptured(scope);
  await readLiveChain(story.doors, scope, first.next);
  expect((await story.captured(scope)).total_count).toBe(2_001);
});

test('a chain with a page that changed when it was read again is read on and publishes nothing', async () => {
  const scope = sizeScope(4_001, serial + 1);
  const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  const first = await readLivePage(story.doors[0], scope);
  await readLivePage(story.doors[1], scope, first.next);

  await simulator.call('POST', path, { kind: 'texts' });
  const again = await readLivePage(story.doors[1], scope, first.next);
  const rest = await readLiveChain(story.doors, scope, again.next);
  // A chain that resumes from the page as it was first read ends there.
  await readLiveChain(story.doors, scope, first.next);

  expect(rest.at(-1)?.page.assets).toHaveLength(1);
  await story.expectNotCaptured(scope);
});

test('a page read again unchanged does not hurt the capture', async () => {
  const scope = sizeScope(4_001, serial + 2);
  const first = await readLivePage(story.doors[0], scope);
  await readLivePage(story.doors[1], scope, first.next);

  await readLiveChain(story.doors, scope, first.next);

  expect((await story.captured(scope)).total_count).toBe(4_001);
});

test('a chain publishes nothing while a page of it is unpaid, and is captured once all are', async () => {
  const scope = sizeScope(4_001, serial + 3);
  const poor = await stack.operator.newCustomer({ credits: 2 });
  const first = await readLivePage(poor.api, scope);
  const second = await readLivePage(poor.api, scope, first.next);
  const refused = await askLivePage(poor.api, scope, second.next);
  expect(refused.status).toBe(402);
  await story.expectNotCaptured(scope);

  await stack.operator.topUp(poor.accountId, 5);
  await waitFor('the credits are there', async () => {
    return (await stack.operator.balance(poor.accountId)).available === 5;
  });
  await readLiveChain([poor.api], scope, second.next);

  expect((await story.captured(scope)).total_count).toBe(4_001);
});

test('a refresh that ends within a chain stays what Current reads (Capture: nothing newer since it began)', async () => {
  const scope = sizeScope(2_002, serial + 5);
  const first = await readLivePage(story.doors[0], scope);
  const { revision_id } = await story.refresh(scope);
  const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  await simulator.call('POST', path, { kind: 'remove', positions: [2_000] });
  await simulator.call('POST', path, { kind: 'add', count: 1 });

  await readLiveChain(story.doors, scope, first.next);
  const scans = (await stack.recordsOf('revision-store')).collection('scans');
  await waitFor(
    'the chain is decided',
    async () =>
      (await scans.countDocuments({ scope: inventoryKeyText(scope), state: 'committed' })) === 2,
    { everyMs: 200 },
  );

  expect((await story.captured(scope)).revision_id).toBe(revision_id);
});

test('V1 never captures', async () => {
  const scope = sizeScope(5, serial + 6);
  const { platform_id, app_id, context_id } = scope;

  for (const route of ['/api/v1/inventory', '/v1/platform/inventory']) {
    const path = `${route}/${platform_id}/${app_id}/${context_id}`;
    expect((await story.customer.api.call({ path })).status).toBe(200);
  }

  await story.expectNotCaptured(scope);
});
