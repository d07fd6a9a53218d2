import { newScope } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openHistory } from './support/history.ts';
import { newScan, plainPage, type Scan } from './support/scan-builder.ts';
import { pinTo } from './support/store-client.ts';
import {
  openStoreUnderTest,
  type Replica,
  type StoreUnderTest,
} from './support/store-under-test.ts';

const clock = createTestClock(Date.now());
const minuteMs = 60_000;

let store: StoreUnderTest;
let replica: Replica;

beforeAll(async () => {
  store = await openStoreUnderTest();
  replica = await store.start({ clock });
});
afterAll(() => store.close());

interface Observed {
  readonly assets: number;
  readonly sequence: number;
  readonly aheadMs?: number;
}

/** A scan that ends now, by a clock that is ahead of the store's, or behind it. */
async function save(scope: Scan['scope'], { assets, aheadMs = 0, ...options }: Observed) {
  const scan = newScan({
    ...options,
    scope,
    pages: [plainPage(0, assets)],
    completedAtMs: clock.now() + aheadMs,
  });
  await replica.client.stage(scan);
  await store.complete(scan);
  const saved = await store.committed(scan);
  clock.advance(10_000);
  return saved;
}
const current = async (scope: Scan['scope']) => (await replica.client.page(scope)).meta;

describe('Scans of collectors whose clocks differ (Refresh: one scan at a time per inventory) [one-scan-at-a-time-per-inventory]', () => {
  it('become current in the order of their starts, and are never verified earlier than before', async () => {
    const scope = newScope();
    await save(scope, { assets: 3, sequence: 7 });
    const { verifiedAtMs } = await current(scope);

    const slow = await save(scope, { assets: 4, sequence: 8, aheadMs: -minuteMs });
    expect(await current(scope)).toMatchObject({ revisionId: slow.revisionId, verifiedAtMs });
    const late = await save(scope, { assets: 5, sequence: 6, aheadMs: minuteMs });

    expect(await current(scope)).toMatchObject({ revisionId: slow.revisionId, totalCount: 4 });
    const pinned = await replica.client.page(scope, pinTo(late));
    expect(pinned.meta.totalCount).toBe(5);
  });

  it('are saved again after an erasure, whatever their sequence [erase]', async () => {
    const scope = newScope();
    await save(scope, { assets: 3, sequence: 7 });
    expect(await replica.client.erase(scope)).toBe(204);
    clock.advance(1);

    const { revisionId } = await save(scope, { assets: 4, sequence: 6 });

    expect(await current(scope)).toMatchObject({ revisionId });
  });
});

test.each([
  [1, 'decided'],
  [6, 'postponed'],
])(
  'a scan that was just received waits for a moment where its inventory is leased, not for long: %i polls in vain (architecture: what a refresh waits for)',
  async (vain, result) => {
    const history = openHistory(store, clock);
    const { scopes } = history.deps;
    const scan = await history.stage({ pages: [plainPage(0, 1)] });
    let polls = 1;
    const acquireLease: typeof scopes.acquireLease = async (...lease) => {
      polls += 1;
      return polls <= vain ? null : scopes.acquireLease(...lease);
    };
    const leasing = Promise.resolve({ lease: null, sentMs: clock.now() });

    const end = await history.decide(
      scan,
      { ...history.deps, scopes: { ...scopes, acquireLease } },
      { leasing },
    );

    expect(end.result).toBe(result);
  },
);
