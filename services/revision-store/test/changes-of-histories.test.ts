import type { ObservationId, RevisionId } from '@inventory/contracts/ids';
import type { StagedAsset } from '@inventory/contracts/staged-rows';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { type GivenChanges, given, nextOf, openHistory } from './support/history.ts';
import { asset, description } from './support/scan-builder.ts';
import { openStoreUnderTest, type StoreUnderTest } from './support/store-under-test.ts';

let store: StoreUnderTest;
beforeAll(async () => {
  store = await openStoreUnderTest();
});
afterAll(() => store.close());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** An inventory: few assets, so that they come and go again. */
const owned = fc
  .uniqueArray(
    fc.record({
      assetid: fc.constantFrom('7', '8', '9', '10', '11', '100', '90071992547409931'),
      amount: fc.constantFrom('1', '2'),
      classid: fc.constantFrom('501', '502'),
      isCurrency: fc.integer({ min: 0, max: 6 }),
    }),
    { maxLength: 7, selector: ({ assetid, isCurrency }) => `${assetid}/${isCurrency === 0}` },
  )
  .map((rows) =>
    rows.map(({ assetid, amount, classid, isCurrency }) =>
      asset(assetid, { amount, classid, ...(isCurrency === 0 ? { currencyid: assetid } : {}) }),
    ),
  );

/** Of all assets of a scan: the same ones are seen with others. */
const wear = fc.constantFrom('0.1', '0.2', '0.3');
const of = <const Kind extends string>(kind: Kind) =>
  fc.record({ kind: fc.constant(kind), owned, wear });

const event = fc.oneof(
  { weight: 6, arbitrary: of('refresh') },
  { weight: 3, arbitrary: of('again') },
  { weight: 2, arbitrary: of('capture') },
  { weight: 2, arbitrary: of('late') },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('prune' as const),
      laterMs: fc.constantFrom(0, 0, 25 * hourMs, 20 * dayMs),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const) }) },
);
type Event = (typeof event)['generate'] extends (...given: never[]) => { readonly value: infer Of }
  ? Of
  : never;

const read = fc.record({ back: fc.nat({ max: 11 }), pageSize: fc.integer({ min: 1, max: 3 }) });
const step = fc.record({ event, read, between: event });

const identityOf = ({ assetid, currencyid }: StagedAsset) => `${assetid}/${currencyid ?? ''}`;
const numerically = (one: StagedAsset, other: StagedAsset) =>
  Number(BigInt(one.assetid) - BigInt(other.assetid)) ||
  Number('currencyid' in one) - Number('currencyid' in other);

const isOwnedAlike = (one: StagedAsset, other: StagedAsset) =>
  one.amount === other.amount && one.classid === other.classid;

/** The difference of two whole inventories. */
function difference(from: readonly StagedAsset[], to: readonly StagedAsset[]) {
  const before = new Map(from.map((row) => [identityOf(row), row]));
  const after = new Map(to.map((row) => [identityOf(row), row]));
  const changed = to.flatMap((row) => {
    const was = before.get(identityOf(row));
    if (!was || isOwnedAlike(was, row)) return [];
    const isOther = was.classid !== row.classid;
    return {
      asset: row,
      amount_before: was.amount,
      ...(isOther ? { classid_before: was.classid, instanceid_before: was.instanceid } : {}),
    };
  });
  return {
    added: to.filter((row) => !before.has(identityOf(row))).sort(numerically),
    removed: from.filter((row) => !after.has(identityOf(row))).sort(numerically),
    changed: changed.sort((one, other) => numerically(one.asset, other.asset)),
  };
}

/** What one scan saw. */
interface Seen {
  readonly observationId: ObservationId;
  readonly rows: readonly StagedAsset[];
}

/** Plays a history and, beside it, what every scan of it saw. */
function playHistory() {
  const clock = createTestClock(Date.now());
  const history = openHistory(store, clock);
  /** Of each revision: what its first scan saw, and the position of the head then. */
  const revisions = new Map<RevisionId, Seen & { readonly position: number }>();
  /** What was the head, one after another. */
  const heads: Seen[] = [];
  const all = new Map<ObservationId, Seen>();
  /** Revisions since the last erasure or loss of the head; only these may be joined. */
  let joined: RevisionId[] = [];
  let sequence = 10;

  async function save({ owned, wear, kind }: Extract<Event, { readonly owned: unknown }>) {
    sequence += kind === 'refresh' || kind === 'again' ? 2 : 0;
    const same = kind === 'again' ? heads.at(-1)?.rows : undefined;
    const rows = (same ?? owned).map((row) => ({
      ...row,
      asset_properties: [{ float_value: wear }],
    }));
    const { revisionId, observationId } = await history.save({
      pages: [{ assets: rows, descriptions: [description('501'), description('502')] }],
      source: kind === 'capture' ? 'capture' : 'refresh',
      ...(kind === 'capture' ? {} : { sequence: kind === 'late' ? sequence - 1 : sequence }),
    });
    const seen = { observationId, rows };
    all.set(observationId, seen);
    if ((await history.headId()) === observationId) heads.push(seen);
    if (!revisions.has(revisionId))
      revisions.set(revisionId, { ...seen, position: heads.length - 1 });
    joined.push(revisionId);
  }

  /** An inventory as it was saved last before its assets changed, up to an observation. */
  function savedLast(since: RevisionId, to: ObservationId): StagedAsset[] {
    const { rows = [], position = 0 } = revisions.get(since) ?? {};
    const end = heads.findLastIndex(({ observationId }) => observationId === to);
    return rows.map((first) => {
      let last = first;
      for (const seen of heads.slice(position, end + 1)) {
        const row = seen.rows.find((one) => identityOf(one) === identityOf(first));
        if (!row || !isOwnedAlike(row, first)) break;
        last = row;
      }
      return last;
    });
  }

  return {
    clock,
    revisions,
    savedLast,
    rowsOf: (observationId: ObservationId) => all.get(observationId)?.rows ?? [],
    joined: () => joined,
    page: history.page,
    first: history.first,
    async play(happening: Event) {
      if ('owned' in happening) return await save(happening);
      if (happening.kind === 'prune') {
        clock.advance(happening.laterMs);
        return await history.prune();
      }
      joined = [];
      heads.length = 0;
      await history.erase();
      // A capture that began before it is not saved.
      clock.advance(10_000);
    },
  };
}

describe('Changes since a revision (Beyond the interface: Changes) [changes-are-a-function-of-two-revisions]', () => {
  it('are page by page the difference of the two inventories, whatever is saved, pruned or erased meanwhile', async () => {
    let pairs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const played = playHistory();
        const { play, page: readPage, first, revisions, joined, clock } = played;
        for (const { event, read, between } of steps) {
          await play(event);
          const known = [...revisions.keys()];
          const since = known.at(-1 - (read.back % Math.max(1, known.length)));
          if (since === undefined) continue;
          const startMs = clock.now();
          let request = first(since, read.pageSize);
          let page = await readPage(request);
          if (page.result !== 'page') {
            expect(['no_revision', 'revision_expired', 'unknown_revision']).toContain(page.result);
            // Within a month nothing is unjoined but by an erasure.
            if (clock.now() - firstMs(since) < 30 * dayMs) expect(joined()).not.toContain(since);
            continue;
          }
          const pages: GivenChanges[] = [];
          const { counts } = page;
          const to = page.to.revision.revisionId;
          const { observationId } = page.to;
          for (;;) {
            pages.push(given(page));
            if (page.lastKey === null) break;
            await play(between);
            request = nextOf(request, page);
            page = await readPage(request);
            if (page.result === 'page') continue;
            expect(page.result).toBe('cursor_expired');
            expect(clock.now() - startMs >= dayMs || !joined().includes(to)).toBe(true);
            break;
          }
          if (page.result !== 'page') continue;
          pairs += 1;
          const before = played.savedLast(since, observationId);
          const expected = difference(before, played.rowsOf(observationId));
          expect({
            added: pages.flatMap(({ added }) => added),
            removed: pages.flatMap(({ removed }) => removed),
            changed: pages.flatMap(({ changed }) => changed),
          }).toEqual(expected);
          expect(counts).toEqual({
            added: expected.added.length,
            removed: expected.removed.length,
            changed: expected.changed.length,
          });
          for (const { added, changed, descriptions } of pages) {
            const rows = [...added, ...changed.map(({ asset }) => asset)];
            const needed = new Set(rows.map(({ classid }) => classid));
            expect(new Set(descriptions.map(({ classid }) => classid))).toEqual(needed);
            expect(descriptions).toHaveLength(needed.size);
          }
        }
      }),
      { numRuns: Math.min(propertyRuns(5), 150) },
    );
    expect(pairs).toBeGreaterThan(5);
  });
});

/** When a revision was minted, by the machine's clock. */
function firstMs(revisionId: RevisionId): number {
  return Number.parseInt(revisionId.slice(7, 15) + revisionId.slice(16, 20), 16);
}
