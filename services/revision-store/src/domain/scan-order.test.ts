import type { ScanWindow } from '@inventory/contracts/messages/revision';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type Observation, windowAtReceipt } from './observation.ts';
import { compareWithHead, type ScanComparison } from './scan-comparison.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 10_000, endOnFailure: true };

type Compare = typeof compareWithHead;

/** What chance does next to one inventory; `collector` is the machine that does it. */
type Move =
  | { readonly move: 'start'; readonly collector: number; readonly gap: number }
  | { readonly move: 'park' | 'end'; readonly collector: number }
  | { readonly move: 'resume'; readonly index: number }
  | { readonly move: 'receive' | 'commit' | 'save'; readonly index: number }
  | { readonly move: 'capture'; readonly collector: number; readonly durationMs: number }
  | { readonly move: 'erase' };

interface Observed {
  /** Null: a capture. */
  readonly sequence: number | null;
  readonly source: 'refresh' | 'capture';
  readonly scanWindow: ScanWindow;
}

const minuteMs = 60_000;
const skewMs = fc.integer({ min: -5 * minuteMs, max: 5 * minuteMs });
const collector = fc.nat(2);
const index = fc.nat(9);
const of = <const Name extends Move['move']>(...names: Name[]) => fc.constantFrom(...names);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ move: of('start'), collector, gap: fc.nat(2) }) },
  { weight: 6, arbitrary: fc.record({ move: of('park', 'end'), collector }) },
  { weight: 2, arbitrary: fc.record({ move: of('resume'), index }) },
  { weight: 8, arbitrary: fc.record({ move: of('receive', 'commit', 'save', 'save'), index }) },
  {
    weight: 3,
    arbitrary: fc.record({ move: of('capture'), collector, durationMs: fc.nat(9 * minuteMs) }),
  },
  { weight: 1, arbitrary: fc.record({ move: of('erase') }) },
);
const history = fc.record({
  skewsMs: fc.array(skewMs, { minLength: 3, maxLength: 3 }),
  moves: fc.array(fc.tuple(fc.nat(2 * minuteMs), move), { minLength: 3, maxLength: 40 }),
});

/**
 * One inventory: scans under its lease one at a time, read by collectors with clocks of their own,
 * received late, and committed in any order by a store whose clock is right.
 */
class InventoryWorld {
  nowMs = Date.UTC(2026, 0, 1);
  head: Observation | null = null;
  /** What was saved since the last erasure. */
  private saved: Observed[] = [];
  newestEnded: number | null = null;
  private sequence = 0;
  private running: { readonly sequence: number; readonly startedAtMs: number } | null = null;
  private parked: NonNullable<typeof this.running>[] = [];
  private sent: Observed[] = [];
  private received: Observed[] = [];
  private commits = 0;
  private readonly skewsMs: readonly number[];
  private readonly compare: Compare;

  constructor(skewsMs: readonly number[], compare: Compare) {
    this.skewsMs = skewsMs;
    this.compare = compare;
  }

  play(move: Move): void {
    switch (move.move) {
      case 'start':
        // A gap is a lease that was opened, and opened again after a crash.
        if (this.running) return;
        this.sequence += 1 + move.gap;
        this.running = { sequence: this.sequence, startedAtMs: this.clockOf(move.collector) };
        break;
      case 'park':
        if (this.running) this.parked.push(this.running);
        this.running = null;
        break;
      case 'resume':
        this.running ??= take(this.parked, move.index) ?? null;
        break;
      case 'end':
        this.end(move.collector);
        break;
      case 'receive':
        this.receive(take(this.sent, move.index));
        break;
      case 'commit':
        this.commit(take(this.received, move.index));
        break;
      case 'save':
        this.receive(take(this.sent, move.index));
        this.commit(this.received.pop());
        break;
      case 'capture': {
        const completedAtMs = this.clockOf(move.collector);
        const window = { startedAtMs: completedAtMs - move.durationMs, completedAtMs };
        this.sent.push({ source: 'capture', sequence: null, scanWindow: window });
        break;
      }
      case 'erase':
        // What was read before is not saved after it.
        this.head = null;
        this.running = null;
        for (const some of [this.saved, this.parked, this.sent, this.received]) some.length = 0;
        break;
    }
  }

  /** Everything that was sent is received and committed, last sent first. */
  settleDown(): void {
    while (this.sent.length > 0) this.receive(this.sent.pop());
    while (this.received.length > 0) this.commit(this.received.pop());
  }

  private clockOf(collector: number): number {
    return this.nowMs + (this.skewsMs[collector] ?? 0);
  }

  private end(collector: number): void {
    if (!this.running) return;
    const { startedAtMs, sequence } = this.running;
    this.running = null;
    // Another machine may have started it: its window is no shorter than nothing.
    const completedAtMs = Math.max(startedAtMs, this.clockOf(collector));
    this.sent.push({
      source: 'refresh',
      sequence,
      scanWindow: { startedAtMs, completedAtMs },
    });
    this.newestEnded = Math.max(sequence, this.newestEnded ?? 0);
  }

  private receive(observed: Observed | undefined): void {
    if (!observed) return;
    this.received.push({
      ...observed,
      scanWindow: windowAtReceipt(observed.scanWindow, this.nowMs),
    });
  }

  private commit(observed: Observed | undefined): void {
    if (!observed) return;
    this.commits += 1;
    const before = this.head;
    this.head = verdictOn(this.compare, { ...observed, id: this.commits }, before).head;
    this.saved.push(observed);
    this.expectLawfulHead(before);
  }

  private expectLawfulHead(before: Observation | null): void {
    const { head } = this;
    if (!head) return;
    const { startedAtMs, completedAtMs } = head.scanWindow;
    expect(startedAtMs).toBeLessThanOrEqual(completedAtMs);
    expect(completedAtMs).toBeLessThanOrEqual(this.nowMs);
    if (before) expect(completedAtMs).toBeGreaterThanOrEqual(before.scanWindow.completedAtMs);
    const refreshes = this.saved.filter(({ source }) => source === 'refresh');
    const captures = this.saved.filter(({ source }) => source === 'capture');
    const scannedUntilMs = Math.max(...refreshes.map(({ scanWindow }) => scanWindow.completedAtMs));
    const chainBeganMs = Math.max(...captures.map(({ scanWindow }) => scanWindow.startedAtMs));
    expect(head.source).toBe(chainBeganMs < scannedUntilMs ? 'refresh' : 'capture');
    if (head.source === 'capture') expect(startedAtMs).toBe(chainBeganMs);
    else expect(head.sequence).toBe(Math.max(...refreshes.map(({ sequence }) => sequence ?? 0)));
  }
}

/** What a scan that found one of three inventories becomes. */
function verdictOn(
  compare: Compare,
  { id, ...observed }: Observed & { readonly id: number },
  present: Observation | null,
): ScanComparison {
  const findings = {
    ...observed,
    language: 'english',
    reportedTotalCount: 1,
    ownershipDigest: String(id % 3),
    textDigest: '',
    rowsDigest: '',
    totalCount: 1,
    totalAmount: '1',
    descriptionCount: 1,
  } as const;
  const fresh = {
    revisionId: `invrev_${id}`,
    observationId: `invobs_${id}`,
    textSetId: String(id),
    rowSetId: String(id),
  } as const;
  return compare(findings, present, fresh, 2_000);
}

function take<Item>(items: Item[], at: number): Item | undefined {
  return items.splice(at % Math.max(1, items.length), 1)[0];
}

function checkOrder(compare: Compare, options: fc.Parameters<unknown>): void {
  fc.assert(
    fc.property(history, ({ moves, skewsMs }) => {
      const world = new InventoryWorld(skewsMs, compare);
      for (const [byMs, next] of moves) {
        world.nowMs += byMs;
        world.play(next);
      }
      world.settleDown();
      const undisturbed = moves.every(([, next]) => !['capture', 'erase'].includes(next.move));
      if (!undisturbed) return;
      expect(world.head?.sequence ?? null).toBe(world.newestEnded);
    }),
    options,
  );
}

const byTimeAlone: Compare = (findings, present, fresh, blockAssets) =>
  compareWithHead({ ...findings, sequence: null }, present, fresh, blockAssets);

const source = fc.constantFrom<Observed['source'][]>('refresh', 'capture');
/** What stands in one order: the end of a refresh's scan, and the beginning of a chain that is captured. */
const ordered = fc
  .uniqueArray(fc.record({ source, atMs: fc.nat(60) }), {
    selector: ({ atMs }) => atMs,
    minLength: 2,
    maxLength: 4,
  })
  .map((points) => points.toSorted((one, other) => one.atMs - other.atMs));

function* ordersOf<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const [at, item] of items.entries()) {
    for (const rest of ordersOf(items.toSpliced(at, 1))) yield [item, ...rest];
  }
}

/** Each is committed before each other one; windows are longer than what is between them. */
function checkCommitOrders(compare: Compare, options: fc.Parameters<unknown>): void {
  const property = fc.property(ordered, fc.nat(90), (points, durationMs) => {
    const observed = points.map(({ source, atMs }, id) => {
      const isCapture = source === 'capture';
      const startedAtMs = isCapture ? atMs : atMs - durationMs;
      const window = { startedAtMs, completedAtMs: startedAtMs + durationMs };
      return { id, source, scanWindow: window, sequence: isCapture ? null : id + 1 };
    });
    for (const order of ordersOf(observed)) {
      let head: Observation | null = null;
      for (const one of order) {
        head = verdictOn(compare, one, head).head;
      }
      expect(head?.observationId).toBe(`invobs_${points.length - 1}`);
    }
  });
  fc.assert(property, options);
}

const plantedFaults: Readonly<Record<string, Compare>> = {
  'scans are ordered by the clocks of their collectors': (...given) => ({
    ...compareWithHead(...given),
    ...withSequence(byTimeAlone(...given), given[0].sequence),
  }),
  'what Current reads seems verified earlier than before': (findings, ...given) => {
    const verdict = compareWithHead(findings, ...given);
    return verdict.becomes === 'head'
      ? { ...verdict, head: { ...verdict.head, scanWindow: findings.scanWindow } }
      : verdict;
  },
};

/** As if it had been saved with its sequence. */
function withSequence(verdict: ScanComparison, sequence: number | null): ScanComparison {
  return { ...verdict, head: { ...verdict.head, sequence } };
}

/** As if the time of a captured head were its last page. */
const endOfCapture: Compare = (findings, head, ...given) => {
  const startedAtMs = head?.scanWindow.completedAtMs ?? 0;
  const ended = head?.source === 'capture' && {
    ...head,
    scanWindow: { ...head.scanWindow, startedAtMs },
  };
  return compareWithHead(findings, ended || head, ...given);
};

describe('Scans of one inventory (Refresh: one scan at a time, in the order of their starts) [one-scan-at-a-time-per-inventory]', () => {
  it('leave the newest one in Current, whatever collectors’ clocks, late manifests, captures and erasures do', () => {
    checkOrder(compareWithHead, { numRuns: propertyRuns(2_000) });
  });

  it.each(Object.keys(plantedFaults))('are seen to break when %s', (name) => {
    const compare = plantedFaults[name];
    expect(() => compare && checkOrder(compare, faultRuns)).toThrow();
  });

  it('and captures leave the same one in Current, whichever is committed first (Reads: Capture) [capture]', () => {
    checkCommitOrders(compareWithHead, { numRuns: propertyRuns(200) });
    expect(() => checkCommitOrders(endOfCapture, faultRuns)).toThrow();
  });
});
