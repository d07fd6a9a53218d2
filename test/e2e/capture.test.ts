import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type CaptureStory,
  doorsOf,
  openCaptureStory,
  testWholeCaptures,
} from './support/capture-story.ts';
import { readLiveChain, readLivePage, requestLivePage } from './support/live-chain.ts';
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
  expect((await requestLivePage(story.doors[0], cutShort)).status).toBe(502);

  await story.expectNotCaptured(partial, cutShort);
});

test('a chain whose cursor lost its asset continues from the page before, read again, and is captured whole (Capture) [capture]', async () => {
  const scope = scenarioScope('cursor-removed-blank-end', serial);

  const pages = await readLiveChain(story.doors, scope);

  // The second page is the first one again: its end moved after the asset that was removed.
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

test('a refresh that ends within a chain stays what Current reads (Capture: nothing newer since it began)', async () => {
  const scope = sizeScope(2_002, serial + 5);
  const first = await readLivePage(story.doors[0], scope);
  const { revision_id } = await story.refresh(scope);
  const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  await simulator.call('POST', path, { kind: 'remove', positions: [2_000] });
  await simulator.call('POST', path, { kind: 'add', count: 1 });

  await readLiveChain(story.doors, scope, first.next);
  const observations = (await stack.recordsOf('revision-store')).collection('observations');
  const superseded = { scope: inventoryKeyText(scope), 'observation.source': 'capture' };
  await waitFor(
    'the chain is saved',
    async () => (await observations.countDocuments(superseded)) === 1,
    { everyMs: 200 },
  );

  expect((await story.captured(scope)).revision_id).toBe(revision_id);
});
