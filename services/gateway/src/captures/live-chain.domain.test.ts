import { createHash } from 'node:crypto';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  advanceLiveChain,
  type CaptureRules,
  endCheckStart,
  evidenceOf,
  isCapturing,
  type LiveChain,
  openLiveChain,
} from './live-chain.domain.ts';

const rules: CaptureRules = { chainDeadlineMs: 600_000, pagesMax: 250 };
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const startedAtMs = 1_750_000_000_000;
const open = () => openLiveChain('0197a3c2-1111-7abc-8def-000000000001', startedAtMs);

const pageOf = (page: number, content = `page ${page}`): ManifestPage => ({
  page,
  epoch: 1,
  chunks: [{ digest: digestOf(content), bytes: content.length }],
});

interface ReadOptions {
  readonly staged?: ManifestPage | null;
  readonly next?: string | null;
  readonly assetCount?: number;
  readonly endCheck?: 'confirmed' | 'moved' | null;
  readonly replayed?: boolean;
  readonly afterMs?: number;
}

function read(chain: LiveChain, options: ReadOptions = {}): LiveChain {
  const { staged = pageOf(chain.page), next = `after ${chain.page}`, afterMs = 0 } = options;
  const { replayed = false, assetCount = 1, endCheck = null } = options;
  const nowMs = startedAtMs + afterMs;
  const page = { staged, replayed, nextStartAssetid: next, assetCount, endCheck, nowMs };
  return advanceLiveChain(chain, page, rules, digestOf);
}

describe('A chain of Live Pages (Reads: Capture) [capture]', () => {
  it('captures from its first page on and proves exactly the pages it was made of', () => {
    const end = read(read(read(open())), { next: null });

    expect(end).toMatchObject({ page: 3, startAssetid: null });
    expect(end.evidence).toBe(evidenceOf([pageOf(0), pageOf(1), pageOf(2)], digestOf));
  });

  it('of one page counts', () => {
    expect(read(open(), { next: null }).evidence).toBe(evidenceOf([pageOf(0)], digestOf));
  });

  it.each<[string, ReadOptions]>([
    ['was not staged', { staged: null }],
    ['was staged as another one', { staged: pageOf(2) }],
    ['came after the deadline', { afterMs: rules.chainDeadlineMs + 1 }],
    ['leads to where it began itself', { next: 'after 0' }],
  ])('is still read and no longer captured when a page %s', (_, options) => {
    const broken = read(read(open()), options);
    const after = read(broken);

    expect(broken).toMatchObject({ page: 2, evidence: null });
    expect(after).toMatchObject({ page: 3, startAssetid: 'after 2', evidence: null });
  });

  it('that ends with a page without assets is not captured; an empty inventory is (upstream 1.3) [empty-private-unavailable]', () => {
    const blank = { assetCount: 0 };

    expect(read(read(open()), { ...blank, next: null }).evidence).toBeNull();
    expect(read(read(open(), blank), { next: null }).evidence).not.toBeNull();
    expect(read(open(), { ...blank, next: null }).evidence).not.toBeNull();
  });

  it('ends with a page without assets once the page before was read again and ends as it did (upstream 1.3)', () => {
    const end = read(read(open()), { assetCount: 0, next: null, endCheck: 'confirmed' });

    expect(end).toMatchObject({ page: 2, startAssetid: null, replaced: [] });
    expect(end.evidence).toBe(evidenceOf([pageOf(0), pageOf(1)], digestOf));
  });

  it('continues after the moved end of a page that was read again, which replaces it', () => {
    const moved = read(read(read(open())), { endCheck: 'moved' });
    const again = read(moved, { endCheck: 'moved' });

    expect(moved).toMatchObject({ page: 3, previousStartAssetid: 'after 0', replaced: [1] });
    expect(again).toMatchObject({ page: 4, previousStartAssetid: 'after 0', replaced: [1, 2] });
    expect(read(again)).toMatchObject({ previousStartAssetid: 'after 3', replaced: [1, 2] });
    expect(again.evidence).not.toBeNull();
  });

  it('is checked at its end while it is captured, and five moved ends are the most', () => {
    const startOf = (chain: LiveChain) => endCheckStart(chain, rules, startedAtMs);
    let chain = read(open());
    expect(startOf(open())).toBeUndefined();
    expect(startOf(chain)).toBeNull();
    expect(startOf(read(chain))).toBe('after 0');
    expect(startOf(read(chain, { staged: null }))).toBeUndefined();

    for (let moves = 1; moves <= 4; moves += 1) chain = read(chain, { endCheck: 'moved' });
    expect(startOf(chain)).toBeNull();
    expect(startOf(read(chain, { endCheck: 'moved' }))).toBeUndefined();
  });

  it('that begins with a page read for nothing is not captured; read again within it, it is', () => {
    expect(read(open(), { replayed: true }).evidence).toBeNull();
    expect(read(read(open()), { replayed: true }).evidence).not.toBeNull();
  });

  it('captures up to the last millisecond of its deadline', () => {
    const last = { next: null, afterMs: rules.chainDeadlineMs };

    expect(read(read(open()), last).evidence).not.toBeNull();
    expect(isCapturing(open(), rules, startedAtMs + rules.chainDeadlineMs + 1)).toBe(false);
  });

  it('captures as many pages as a scan may have and no more', () => {
    const few = { ...rules, pagesMax: 2 };
    const next = (chain: LiveChain) =>
      advanceLiveChain(
        chain,
        {
          staged: pageOf(chain.page),
          nextStartAssetid: `${chain.page}`,
          assetCount: 1,
          endCheck: null,
          replayed: false,
          nowMs: startedAtMs,
        },
        few,
        digestOf,
      );

    expect(next(next(open())).evidence).not.toBeNull();
    expect(next(next(next(open()))).evidence).toBeNull();
  });

  it('proves nothing but its own pages: any other list of pages has other evidence', () => {
    const chunk = fc.record({
      digest: fc.constantFrom('a', 'b'),
      bytes: fc.integer({ min: 1, max: 2 }),
    });
    const contents = fc.array(fc.array(chunk, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
    const staged = (list: ManifestPage['chunks'][]) =>
      list.map((chunks, page) => ({ page, epoch: 1, chunks }));
    const proven = (pages: ManifestPage[]) =>
      pages.reduce<LiveChain>((chain, page) => read(chain, { staged: page }), open()).evidence;

    fc.assert(
      fc.property(contents, contents, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        expect(proven(staged(one)) === evidenceOf(staged(other), digestOf)).toBe(same);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('never captures again once it stopped, whatever comes', () => {
    const step = fc.record({
      staged: fc.constantFrom('own', 'none', 'other'),
      afterMs: fc.constantFrom(0, rules.chainDeadlineMs, rules.chainDeadlineMs + 1),
    });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let chain = open();
        let unbroken = true;
        for (const { staged, afterMs } of steps) {
          const given = { own: pageOf(chain.page), none: null, other: pageOf(chain.page + 1) };
          chain = read(chain, { staged: given[staged], afterMs });
          unbroken &&= staged === 'own' && afterMs <= rules.chainDeadlineMs;
          expect(chain.evidence !== null).toBe(unbroken);
        }
        expect(chain.page).toBe(steps.length);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
