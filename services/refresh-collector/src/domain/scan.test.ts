import type { PlatformAnswer } from './platform-answer.ts';
import type { PlatformPage } from './platform-page.ts';
import {
  freshProgress,
  freshTries,
  nextStep,
  type ScanMoment,
  type ScanProgress,
  type ScanRules,
} from './scan.ts';

const rules: ScanRules = {
  pagesMax: 250,
  triesMax: 5,
  throttledMax: 6,
  retryMs: 4_000,
  duplicateRetryMs: 5_000,
  count: 2_000,
  smallerCount: 1_000,
};
const moment = (overrides: Partial<ScanMoment> = {}): ScanMoment => ({
  progress: freshProgress,
  tries: freshTries(rules),
  identity: 'a',
  identities: 2,
  ...overrides,
});
const page = (fields: Partial<PlatformPage> = {}): PlatformAnswer => ({
  kind: 'page',
  page: {
    assets: [],
    descriptions: [],
    reportedTotalCount: 5,
    more: false,
    lastAssetId: null,
    ...fields,
  },
});
const midScan: ScanProgress = {
  cursor: '20',
  cursors: ['10', '20'],
  pages: 2,
  reportedTotalCount: 9,
};

/** Answers one after another until the scan saves a page, fails, or the answers run out. */
function play(start: ScanMoment, answers: readonly { from: string; answer: PlatformAnswer }[]) {
  let tries = start.tries;
  for (const [index, { from, answer }] of answers.entries()) {
    const step = nextStep({ ...start, tries, identity: from }, answer, rules);
    if (step.step !== 'again' || index === answers.length - 1) return step;
    tries = step.tries;
  }
  throw new Error('no answers');
}

describe('nextStep', () => {
  it('is done with a page without more, however few assets it has (upstream 6.7)', () => {
    expect(nextStep(moment(), page(), rules)).toMatchObject({ step: 'save', done: true });
  });

  it('goes on behind a page with more, however empty it is (upstream 6.7)', () => {
    const step = nextStep(moment(), page({ more: true, lastAssetId: '40' }), rules);
    expect(step).toMatchObject({ step: 'save', done: false, progress: { cursor: '40', pages: 1 } });
  });

  it.each([
    ['is missing', null],
    ['is the one before', '20'],
    ['was used earlier', '10'],
  ])('ends as incomplete when the next cursor %s (upstream 6.8)', (_what, lastAssetId) => {
    const step = nextStep(moment({ progress: midScan }), page({ more: true, lastAssetId }), rules);
    expect(step).toEqual({ step: 'fail', outcome: 'incomplete' });
  });

  it('ends as incomplete beyond 250 pages, and completes with the 250th (Refresh: Deadlines)', () => {
    const progress = { ...freshProgress, pages: 249 };
    const more = page({ more: true, lastAssetId: '40' });
    expect(nextStep(moment({ progress }), more, rules)).toEqual({
      step: 'fail',
      outcome: 'incomplete',
    });
    expect(nextStep(moment({ progress }), page(), rules)).toMatchObject({
      step: 'save',
      done: true,
    });
  });

  it.each(['private', 'not_found'] as const)(
    'believes %s only from a second identity (upstream 6.6)',
    (kind) => {
      expect(play(moment(), [{ from: 'a', answer: { kind } }])).toMatchObject({
        step: 'again',
        avoid: ['a'],
      });
      const twice = [
        { from: 'a', answer: { kind } },
        { from: 'b', answer: { kind } },
      ];
      expect(play(moment(), twice)).toEqual({ step: 'fail', outcome: kind });
    },
  );

  it('asks the only identity twice before it believes a denial', () => {
    const alone = moment({ identities: 1 });
    const denied = { from: 'a', answer: { kind: 'private' } } as const;
    expect(play(alone, [denied])).toMatchObject({ step: 'again', avoid: [] });
    expect(play(alone, [denied, denied])).toEqual({ step: 'fail', outcome: 'private' });
  });

  it('reads on through the identity that is served and silences the one that is not (upstream 6.6)', () => {
    const step = play(moment(), [
      { from: 'a', answer: { kind: 'private' } },
      { from: 'b', answer: page() },
    ]);
    expect(step).toMatchObject({ step: 'save', blocked: ['a'] });
  });

  it('confirms a denial after good pages from page 1 (upstream 5: 403 after good pages)', () => {
    const denied = (from: string) => ({ from, answer: { kind: 'private' } }) as const;
    const first = play(moment({ progress: midScan }), [denied('a')]);
    expect(first).toMatchObject({ step: 'again', tries: { probing: true } });
    expect(play(moment({ progress: midScan }), [denied('a'), denied('b')])).toEqual({
      step: 'fail',
      outcome: 'private',
    });
  });

  it('returns to its page when page 1 turns out to be public still', () => {
    const step = play(moment({ progress: midScan }), [
      { from: 'a', answer: { kind: 'private' } },
      { from: 'b', answer: page({ more: true, lastAssetId: '1' }) },
    ]);
    expect(step).toMatchObject({
      step: 'again',
      tries: { probing: false, denials: [] },
      blocked: ['a'],
    });
  });

  it('gives trouble up after five tries, four seconds apart, as upstream unavailable (upstream 1.4)', () => {
    const fault = { kind: 'fault', reason: 'server_error', eresult: 55 } as const;
    const four = Array.from({ length: 4 }, () => ({ from: 'a', answer: fault }));
    expect(play(moment(), four)).toMatchObject({ step: 'again', pauseMs: 4_000 });
    expect(play(moment(), [...four, { from: 'a', answer: fault }])).toEqual({
      step: 'fail',
      outcome: 'upstream_unavailable',
    });
  });

  it('waits longer after DuplicateRequest (upstream 6.17)', () => {
    const answer = { kind: 'fault', reason: 'duplicate_request', eresult: 29 } as const;
    expect(nextStep(moment(), answer, rules)).toMatchObject({ pauseMs: 5_000 });
  });

  it('does not retry a code nobody knows (upstream 6.16)', () => {
    expect(nextStep(moment(), { kind: 'refused', eresult: 77 }, rules)).toEqual({
      step: 'fail',
      outcome: 'upstream_unavailable',
    });
  });

  it('shrinks the count once on a 400, then tries another identity, then gives up (upstream 6.3)', () => {
    const bad = (from: string) => ({ from, answer: { kind: 'bad_request' } }) as const;
    expect(play(moment(), [bad('a')])).toMatchObject({ tries: { count: 1_000 }, avoid: [] });
    expect(play(moment(), [bad('a'), bad('a')])).toMatchObject({ avoid: ['a'], blocked: ['a'] });
    expect(play(moment({ identities: 1 }), [bad('a'), bad('a')])).toEqual({
      step: 'fail',
      outcome: 'upstream_unavailable',
    });
  });

  it('spends no try on a throttled answer, up to its own bound (upstream 6.4)', () => {
    const throttled = { from: 'a', answer: { kind: 'throttled', retryAfterMs: null } } as const;
    const five = Array.from({ length: 5 }, () => throttled);
    expect(play(moment(), five)).toMatchObject({
      step: 'again',
      tries: { failures: 0 },
      pauseMs: 0,
    });
    expect(play(moment(), [...five, throttled])).toEqual({
      step: 'fail',
      outcome: 'upstream_unavailable',
    });
  });
});
