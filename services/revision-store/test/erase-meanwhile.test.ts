import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import { newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import { type CurrentPageRequest, readCurrent } from '../src/reads/read-current-page.ts';
import { assembleScan } from '../src/scans/assemble-scan.ts';
import type { Scanning } from '../src/scans/open-scanning.ts';
import { createObservationStore } from '../src/storage/observation-store.ts';
import { createScopeStore } from '../src/storage/scope-store.ts';
import { assemblyOn } from './support/assembly-on.ts';
import { readingWith } from './support/memory-inventory.ts';
import { completedScan, newScan, plainPage, type Scan } from './support/scan-builder.ts';
import { pinTo } from './support/store-client.ts';
import {
  type Committed,
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

const clock = createTestClock(Date.now());
const dayMs = 86_400_000;

let store: StoreUnderTest;
let replica: Replica;

beforeAll(async () => {
  store = await openStoreUnderTest();
  replica = await store.start({ clock });
});
afterAll(() => store.close());

const decided = (scan: Scan) =>
  waitFor('it is decided', () => {
    // Where it met pruning, it is tried again later.
    clock.advance(300);
    return store.outcomesOf(scan)[0]?.body;
  });

async function save(scope: Scan['scope'], assets: number): Promise<Committed> {
  clock.advance(1_000);
  const scan = newScan({ scope, pages: [plainPage(0, assets)], completedAtMs: clock.now() });
  await replica.client.stage(scan);
  await store.complete(scan);
  return (await decided(scan)) as Committed;
}

/** Steps of an assembly that write, in their order. */
const steps = [
  'writeBlock',
  'writeAssets',
  'beginCommit',
  'keepSuperseded',
  'moveHead',
  'decideScan',
] as const;
type Step = (typeof steps)[number];

/** The same stores; something else happens right before one of their writes. */
function disturbed(step: Step, happens: () => Promise<unknown>) {
  const disturb = <Of extends object>(of: Of): Of =>
    new Proxy(of, {
      get(target, name) {
        const write = target[name as keyof Of];
        if (name !== step || typeof write !== 'function') return write;
        return async (...given: unknown[]) => {
          await happens();
          return write(...given);
        };
      },
    });
  const deps = assemblyOn(store);
  const { scans, scopes, observations, blocks, changes } = deps;
  return {
    ...deps,
    clock,
    scans: disturb(scans),
    scopes: disturb(scopes),
    observations: disturb(observations),
    blocks: disturb(blocks),
    changes: disturb(changes),
  };
}

/** Assembles a scan as one worker does; the others leave it alone meanwhile. */
async function assemble(deps: Scanning, scan: Scan, isDisturbed: () => boolean) {
  await replica.client.stage(scan);
  const completed = completedScan(scan);
  const nowMs = clock.now();
  const claim = { trace: {}, receivedAtMs: nowMs, wasClaimed: false, tries: 1 };
  const received = { scan: completed, trace: {}, nowMs };
  await deps.scans.insertScan(received, { dueAtMs: nowMs + 600_000, owner: 'test' });
  const claimed = { scan: completed, scopeKey: inventoryKeyText(scan.scope), ...claim };
  // While pruning has the lease of the inventory, an assembly is postponed.
  await waitFor('it is disturbed', async () => {
    await assembleScan(deps, claimed, new AbortController().signal).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error;
    });
    return isDisturbed();
  });
  // Where it is not decided, another worker takes it; the command wakes it.
  const due = { $set: { 'work.dueAtMs': nowMs } };
  await store.collections.scans.updateOne({ _id: scan.scanId }, due);
  await store.complete(scan);
}

describe('An erasure while a scan is saved (Operating surface: erase) [erase]', () => {
  const saved = [
    ...steps.map((step) => [step, 'refresh'] as const),
    ['keepSuperseded', 'capture'] as const,
  ];

  it.each(saved)(
    'before %s of a %s leaves 404 for Current, 410 for chains and nothing stored',
    async (step, source) => {
      const scope = newScope();
      const head = await save(scope, 3);
      clock.advance(1_000);
      const pages = [plainPage(0, 4)];
      const scan = newScan({ scope, pages, source, completedAtMs: clock.now() });

      let erasures = 0;
      const erase = async () => {
        erasures += 1;
        if (erasures === 1) expect(await replica.client.erase(scope)).toBe(204);
      };
      await assemble(disturbed(step, erase), scan, () => erasures > 0);

      expect(await replica.client.page(scope, pinTo(head))).toMatchObject({ status: 410 });
      expect(await replica.client.page(scope)).toMatchObject({ status: 404 });
      // One whose head had moved was saved, and is erased with the others.
      expect(await decided(scan)).toMatchObject(
        step === 'decideScan' ? { observedAssets: 4 } : { reason: 'missing_pages' },
      );
      expect(await replica.client.page(scope)).toMatchObject({ status: 404 });
      const { observations, assetBlocks, textBlocks, changeSets, changeBlocks } = store.collections;
      const ofIt = { scope: inventoryKeyText(scope) };
      await waitFor('nothing of it is stored', async () => {
        const all = [observations, assetBlocks, textBlocks, changeSets, changeBlocks];
        const counts = await Promise.all(all.map((one) => one.countDocuments(ofIt as never)));
        return counts.every((count) => count === 0);
      });
      const again = await save(scope, 5);
      expect((await replica.client.page(scope)).meta.revisionId).toBe(again.revisionId);
    },
  );
});

describe('A page whose revision goes while it is read (Reads: 410 past retention) [current-pinned-chain]', () => {
  /** Reads a page; `happens` comes between the observation and its blocks. */
  function readWhile(request: CurrentPageRequest, happens: () => Promise<unknown>) {
    const { blocks, scopes, observations, settings } = assemblyOn(store);
    let reads = 0;
    const reading = readingWith({
      scopes,
      observations,
      blocks: {
        ...blocks,
        readAssets: async (set, index) => {
          reads += 1;
          if (reads === 1) await happens();
          return blocks.readAssets(set, index);
        },
      },
      clock,
      logger: testLogger,
      retention: settings.retention,
    });
    return readCurrent(reading, request);
  }
  const requestOf = (scope: Scan['scope'], pinned: Committed | null): CurrentPageRequest => ({
    scopeKey: inventoryKeyText(scope),
    language: 'english',
    pageSize: 2,
    position: 0,
    descriptions: 'page',
    coding: null,
    pinned: pinned && {
      revisionId: pinned.revisionId,
      observationId: pinned.observationId,
    },
  });

  it('by an erasure is 404 on a first page and 410 on a later one', async () => {
    for (const [isPinned, result] of [
      [false, 'no_revision'],
      [true, 'expired'],
    ] as const) {
      const scope = newScope();
      const head = await save(scope, 3);
      const request = requestOf(scope, isPinned ? head : null);

      const page = await readWhile(request, () => replica.client.erase(scope));

      expect(page.result).toBe(result);
    }
  });

  it('by its expiry is 410', async () => {
    const scope = newScope();
    const old = await save(scope, 3);
    await save(scope, 4);
    const { assetBlocks } = store.collections;

    const page = await readWhile(requestOf(scope, old), async () => {
      clock.advance(dayMs);
      await waitFor(
        'it is pruned',
        async () => (await assetBlocks.countDocuments({ set: old.revisionId })) === 0,
      );
    });

    expect(page.result).toBe('expired');
  });

  it('by an erasure that a commit of before it outlives is 410, on every page', async () => {
    const scope = newScope();
    const head = await save(scope, 3);
    const stored = await createScopeStore(store.collections.scopes, 0, testLogger).readHead(
      inventoryKeyText(scope),
    );
    if (!stored) throw new Error('no head');
    clock.advance(1_000);
    await replica.client.erase(scope);
    // As the worker of a commit writes it that has not learnt yet that its lease is lost.
    const observations = createObservationStore(store.collections.observations, testLogger);
    const before = { scope: inventoryKeyText(scope), epoch: 0 };
    await observations.keepSuperseded(before, stored, clock.now());

    expect(await replica.client.page(scope, pinTo(head))).toMatchObject({ status: 410 });
    expect(await replica.client.page(scope, { ...pinTo(head), position: 1 })).toMatchObject({
      status: 410,
    });
  });
});
