import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { advanceScan, type ScanFact, type ScanRecordState, wholeScanPages } from './scan.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 6, numRuns: 10_000, endOnFailure: true };

const facts: ScanFact[] = [
  'completed',
  'abandoned',
  'pages_missing',
  'pages_invalid',
  'given_up',
  'assembled',
  'head_moved',
];

/** Facts of its own workers. */
const underLease = ['pages_missing', 'pages_invalid', 'given_up'];

function statesAfter(sequence: readonly ScanFact[], step = advanceScan): ScanRecordState[] {
  let state: ScanRecordState = 'unknown';
  return sequence.map((fact) => {
    const next = step(state, fact);
    if (next !== 'refused') state = next;
    return state;
  });
}

const isFinal = (state: ScanRecordState | undefined) =>
  state === 'committed' || state === 'rejected';

function decidesOnce(step: typeof advanceScan) {
  return fc.property(fc.array(fc.constantFrom(...facts), { maxLength: 30 }), (sequence) => {
    const states = statesAfter(sequence, step);
    const final = states.findIndex(isFinal);
    const after = new Set(final < 0 ? [] : states.slice(final));
    const began = states.indexOf('committing');
    const rejected = states.indexOf('rejected');

    expect(after.size).toBeLessThanOrEqual(1);
    if (began >= 0 && rejected >= 0) expect(underLease).toContain(sequence[rejected]);
    expect(states.includes('committed') && began < 0).toBe(false);
  });
}

describe('A scan (architecture: abandon against commit)', () => {
  it('is decided once under any facts in any order; only its own workers end a commit that has begun', () => {
    fc.assert(decidesOnce(advanceScan), { numRuns: propertyRuns(3_000) });
  });

  it.each<[string, typeof advanceScan]>([
    [
      'an abandonment undoes a commit that has begun',
      (state, fact) =>
        state === 'committing' && fact === 'abandoned' ? 'rejected' : advanceScan(state, fact),
    ],
    [
      'a completed command revives an abandoned scan',
      (state, fact) =>
        state === 'rejected' && fact === 'completed' ? 'received' : advanceScan(state, fact),
    ],
    [
      'the head moves before the commit began',
      (state, fact) =>
        state === 'received' && fact === 'head_moved' ? 'committed' : advanceScan(state, fact),
    ],
  ])('is caught when %s', (_fault, step) => {
    const outcome = fc.check(decidesOnce(step), faultRuns);

    expect(outcome.failed).toBe(true);
    expect(String(outcome.errorInstance)).toContain('expect(');
  });

  it('can be abandoned before it is completed, which is final', () => {
    expect(statesAfter(['abandoned', 'completed', 'assembled'])).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
  });

  it('that a crashed worker was committing is assembled again, until its tries are used up', () => {
    expect(advanceScan('committing', 'assembled')).toBe('committing');
    expect(advanceScan('committing', 'given_up')).toBe('rejected');
  });
});

describe('The pages of a manifest', () => {
  const chunk = { digest: 'a'.repeat(64), bytes: 1 };
  const page = (number: number, chunks = 1): ManifestPage => ({
    page: number,
    epoch: 1,
    chunks: Array.from({ length: chunks }, () => chunk),
  });

  it('are taken in the order of the scan', () => {
    expect(wholeScanPages([page(1), page(0)], 64)?.map((one) => one.page)).toEqual([0, 1]);
  });

  it('leave out the number of a page that was read again', () => {
    expect(wholeScanPages([page(3), page(1)], 64)?.map((one) => one.page)).toEqual([1, 3]);
  });

  it('may be none: an inventory that was seen to be empty', () => {
    expect(wholeScanPages([], 64)).toEqual([]);
  });

  it.each([
    ['a page is named twice', [page(0), page(0)]],
    ['a page is made of nothing', [page(0, 0)]],
    ['a page has too many chunks', [page(0, 65)]],
  ])('are no whole scan when %s', (_why, pages) => {
    expect(wholeScanPages(pages, 64)).toBeNull();
  });
});
