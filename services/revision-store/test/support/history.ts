import type { RevisionId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { StagedAsset, StagedDescription } from '@inventory/contracts/staged-rows';
import { newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import type { TestClock } from '@inventory/testkit/test-clock';
import {
  type ChangesPageRequest,
  type ChangesRead,
  readChanges,
} from '../../src/changes/read-changes-page.ts';
import type { InventoryEpoch } from '../../src/domain/observation.ts';
import type { CompletedScan } from '../../src/domain/scan.ts';
import { eraseSavedInventory } from '../../src/pruning/erase-inventory.ts';
import { pruneInventories } from '../../src/pruning/prune-inventory.ts';
import { openReading } from '../../src/reads/open-reading.ts';
import { assembleScan } from '../../src/scans/assemble-scan.ts';
import type { Scanning } from '../../src/scans/open-scanning.ts';
import { stageChunk } from '../../src/scans/staging-routes.ts';
import type { ScanToAssemble } from '../../src/storage/waiting-scans.ts';
import { assemblyOn } from './assembly-on.ts';
import { completedScan, digestOf, newScan, type Scan, type ScanOptions } from './scan-builder.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** A page of changes as a client parses it. */
export interface GivenChanges {
  readonly added: StagedAsset[];
  readonly removed: StagedAsset[];
  readonly changed: (Record<string, string> & { readonly asset: StagedAsset })[];
  readonly descriptions: StagedDescription[];
}

type Page = Extract<ChangesRead, { result: 'page' }>;

export const given = ({ body }: Page): GivenChanges =>
  JSON.parse(`{${Buffer.concat([...body])}}`) as GivenChanges;

/** The request of the next page. */
export function nextOf(request: ChangesPageRequest, page: Page): ChangesPageRequest {
  const { revision, observationId } = page.to;
  const { revisionId } = revision;
  return { ...request, pinned: { revisionId, observationId, afterKey: page.lastKey ?? '' } };
}

/** A machine of another time. */
type Skew = Partial<Pick<Scanning, 'clock' | 'identifiers'>>;

/** One inventory on the stores of a service, without its jobs: what happens, happens in order. */
export function openHistory(store: StoreUnderTest, clock: TestClock, blockAssets = 3) {
  const scope = newScope();
  const scopeKey = inventoryKeyText(scope);
  const deps = { ...assemblyOn(store, { blockAssets }), clock };
  const { retention } = deps.settings;
  const opened = openReading(deps, clock, testLogger, { retention, blockCacheBytes: 1 });
  // What is gone is seen at once.
  const reading = { ...opened, blocks: deps.blocks };

  /** What a scan reads before its first page. */
  const begin = async () => ({ scope: scopeKey, epoch: await deps.scopes.readEpoch(scopeKey) });

  async function put(scan: Scan, page: number, of: InventoryEpoch): Promise<void> {
    for (const [chunk, content] of (scan.pages[page] ?? []).entries()) {
      const position = { scanId: scan.scanId, epoch: scan.epoch, page, chunk };
      const arrived = { digest: digestOf(content), content, source: scan.source, of };
      await stageChunk(deps, position, arrived);
    }
  }

  async function receive(scan: Scan): Promise<CompletedScan> {
    const completed = completedScan(scan);
    const received = { scan: completed, trace: {}, nowMs: clock.now() };
    await deps.scans.insertScan(received, { dueAtMs: clock.now() + 600_000, owner: 'test' });
    return completed;
  }

  /** A scan that ends now, received and not assembled yet. */
  async function stage(options: Omit<ScanOptions, 'scope'>): Promise<CompletedScan> {
    clock.advance(1_000);
    const of = await begin();
    const scan = newScan({ completedAtMs: clock.now(), ...options, scope });
    for (const page of scan.pages.keys()) await put(scan, page, of);
    return receive(scan);
  }

  async function decide(
    scan: CompletedScan,
    by: Scanning = deps,
    received: Pick<ScanToAssemble, 'leasing'> = {},
  ) {
    const times = { receivedAtMs: clock.now(), wasClaimed: false, tries: 1 };
    const claim = { trace: {}, ...times, ...received };
    return await assembleScan(by, { scan, scopeKey, ...claim }, new AbortController().signal);
  }

  async function assemble(scan: CompletedScan, by?: Scanning) {
    const end = await decide(scan, by);
    if (end.result === 'decided' && end.decision.result === 'committed') return end.decision;
    throw new Error(`not saved: ${JSON.stringify(end)}`);
  }

  return {
    scope,
    deps,
    begin,
    put,
    receive,
    stage,
    decide,
    assemble,
    /** Saves a scan that ends now. */
    save: async (options: Omit<ScanOptions, 'scope'>) => assemble(await stage(options)),
    headId: async () => (await deps.scopes.readHead(scopeKey))?.observationId,
    prune: (by: Skew = {}) => pruneInventories({ ...deps, ...by }, new AbortController().signal),
    erase: (by: Skew = {}) => eraseSavedInventory({ ...deps, ...by }, scopeKey),
    page: (request: Omit<ChangesPageRequest, 'scope'>) =>
      readChanges(reading, { ...request, scope }),
    first: (since: RevisionId, pageSize = 2_000): ChangesPageRequest => ({
      scope,
      since,
      language: 'english',
      pageSize,
      pinned: null,
    }),
  };
}
