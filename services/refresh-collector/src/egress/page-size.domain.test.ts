import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  afterCountRefused,
  afterGoodPage,
  afterTooLarge,
  fullPageSize,
} from './page-size.domain.ts';

const rules = { count: 2_000, smallerCount: 1_000 };

/** Requests of a scan of so many assets, where a page may have so many at most. */
function requestsOf(assets: number, allowed: (read: number) => number, halves = true): number {
  let size = fullPageSize(rules.count);
  let requests = 0;
  for (let read = 0; read < assets; ) {
    requests += 1;
    if (size.count <= allowed(read)) {
      read += size.count;
      size = afterGoodPage(size, rules);
      continue;
    }
    const smaller = halves ? afterTooLarge(size) : afterCountRefused(size, rules);
    if (!smaller) throw new Error('no smaller size is left');
    size = smaller;
  }
  return requests;
}

describe('the page size', () => {
  it('is the smaller count after a 400, and half after a page above the byte limit', () => {
    const full = fullPageSize(rules.count);

    expect(afterCountRefused(full, rules)?.count).toBe(1_000);
    expect(afterTooLarge(full)?.count).toBe(1_000);
    expect(afterTooLarge({ ...full, count: 250 })?.count).toBe(125);
  });

  it('has no smaller one than the smaller count, or than one asset', () => {
    const smaller = { ...fullPageSize(rules.count), count: 1_000 };

    expect(afterCountRefused(smaller, rules)).toBeNull();
    expect(afterTooLarge({ ...smaller, count: 1 })).toBeNull();
  });

  it('grows again after four good pages', () => {
    // The first 2,000 assets come 1,000 at a time only.
    expect(requestsOf(10_000, (read) => (read < 2_000 ? 1_000 : 2_000))).toBe(1 + 4 + 3);
  });

  it('wastes at most six requests of 250 where each increase is refused (upstream 6.3)', () => {
    expect(requestsOf(250_000, () => 1_000, false)).toBeLessThanOrEqual(250 + 6);
  });

  it('is never above what is configured and never below one asset', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('good', 'refused', 'large')), (responses) => {
        let size = fullPageSize(rules.count);
        for (const response of responses) {
          if (response === 'good') size = afterGoodPage(size, rules);
          else if (response === 'large') size = afterTooLarge(size) ?? size;
          else size = afterCountRefused(size, rules) ?? size;
          expect(size.count).toBeGreaterThanOrEqual(1);
          expect(size.count).toBeLessThanOrEqual(rules.count);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
