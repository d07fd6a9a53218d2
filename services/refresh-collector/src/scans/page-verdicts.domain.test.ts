import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { PlatformAnswer } from '../egress/platform-answer.domain.ts';
import {
  asksFirstPage,
  avoidedIdentities,
  firstTries,
  judgePage,
  type PageJudgement,
  type PageRules,
  type PageTries,
} from './page-verdicts.domain.ts';

const rules: PageRules = {
  triesMax: 5,
  throttledMax: 6,
  retryMs: 4_000,
  duplicateRetryMs: 5_000,
  count: 2_000,
  smallerCount: 1_000,
};

const page: PlatformAnswer = {
  kind: 'page',
  page: { assets: [], descriptions: [], reportedTotalCount: 5, more: false, lastAssetId: null },
};
const fault = { kind: 'fault', reason: 'server_error', eresult: 55 } as const;
const unreachable = { kind: 'unreachable' } as const;
const denied = { kind: 'private' } as const;
const badRequest = { kind: 'bad_request' } as const;

interface Played {
  readonly judged: PageJudgement;
  readonly tries: PageTries;
}

/** Answers one after another, each to the named identity, until the page is judged. */
function play(
  identities: readonly string[],
  answers: readonly (readonly [identity: string, answer: PlatformAnswer])[],
  isFirstPage = true,
): Played {
  let tries = firstTries(rules);
  let judged: PageJudgement | undefined;
  for (const [identity, answer] of answers) {
    judged = judgePage({ tries, isFirstPage, identity, identities }, answer, rules);
    if (judged.judged !== 'again') return { judged, tries };
    tries = judged.tries;
  }
  if (!judged) throw new Error('no answers');
  return { judged, tries };
}

const two = ['a', 'b'];

describe('a denial', () => {
  it.each(['private', 'not_found'] as const)(
    '%s is believed only from a second identity, which is asked at once (upstream 6.6)',
    (kind) => {
      const { judged, tries } = play(two, [['a', { kind }]]);
      expect(judged).toMatchObject({ judged: 'again', pauseMs: 0 });
      expect(avoidedIdentities(tries, two)).toEqual(['a']);

      const twice = play(two, [
        ['a', { kind }],
        ['b', { kind }],
      ]);
      expect(twice.judged).toEqual({ judged: 'ended', outcome: kind });
    },
  );

  it('of the only identity is believed when the same one repeats it after a pause', () => {
    const { judged, tries } = play(['a'], [['a', denied]]);
    expect(judged).toMatchObject({ judged: 'again', pauseMs: 4_000 });
    expect(avoidedIdentities(tries, ['a'])).toEqual([]);

    const twice = play(
      ['a'],
      [
        ['a', denied],
        ['a', denied],
      ],
    );
    expect(twice.judged).toEqual({ judged: 'ended', outcome: 'private' });
  });

  it('is believed from the only identity that reaches the platform', () => {
    const { judged } = play(two, [
      ['b', unreachable],
      ['a', denied],
      ['a', denied],
    ]);
    expect(judged).toEqual({ judged: 'ended', outcome: 'private' });
  });

  it('of a later page is confirmed from page 1 (upstream 5: 403 after good pages)', () => {
    const { tries } = play(two, [['a', denied]], false);
    expect(asksFirstPage(tries)).toBe(true);

    const { judged } = play(
      two,
      [
        ['a', denied],
        ['b', denied],
      ],
      false,
    );
    expect(judged).toEqual({ judged: 'ended', outcome: 'private' });
  });

  it('of a later page leads back to that page when page 1 is served, and rests nobody', () => {
    const { judged, tries } = play(
      two,
      [
        ['a', denied],
        ['b', page],
      ],
      false,
    );
    expect(judged).toMatchObject({ judged: 'again', rests: [] });
    expect(asksFirstPage(tries)).toBe(false);
    expect(avoidedIdentities(tries, two)).toEqual(['a']);
  });

  it('of page 2 only ends within the tries of one identity, which is never avoided or rested', () => {
    const alternating = Array.from(
      { length: 9 },
      (_, at) => ['a', at % 2 === 0 ? denied : page] as const,
    );
    for (let length = 1; length < alternating.length; length += 1) {
      const { judged, tries } = play(['a'], alternating.slice(0, length), false);
      expect(judged).toMatchObject({ judged: 'again', pauseMs: 4_000, rests: [] });
      expect(avoidedIdentities(tries, ['a'])).toEqual([]);
    }
    const { judged } = play(['a'], alternating, false);
    expect(judged).toEqual({ judged: 'ended', outcome: 'upstream_unavailable' });
  });

  it('rests the identity that met it where another one is served the same page (upstream 6.6)', () => {
    const { judged } = play(two, [
      ['a', denied],
      ['b', page],
    ]);
    expect(judged).toMatchObject({ judged: 'page', rests: ['a'] });
  });

  it('never rests the identity that is served now', () => {
    const { judged } = play(
      ['a'],
      [
        ['a', denied],
        ['a', page],
      ],
    );
    expect(judged).toMatchObject({ judged: 'page', rests: [] });
  });
});

describe('an egress that makes no connection', () => {
  it('is avoided on the next try, costs no try and rests nobody', () => {
    const { judged, tries } = play(two, [['a', unreachable]]);
    expect(judged).toMatchObject({ judged: 'again', pauseMs: 0, rests: [] });
    expect(avoidedIdentities(tries, two)).toEqual(['a']);
  });

  it('does not end a page while others were not asked', () => {
    const many = Array.from({ length: 8 }, (_, at) => `egress-${at}`);
    const { judged } = play(
      many,
      many.map((identity) => [identity, unreachable] as const),
    );
    expect(judged).toMatchObject({ judged: 'again' });
  });

  it('ends the page after five more tries where there is no other', () => {
    const six = Array.from({ length: 6 }, () => ['a', unreachable] as const);
    expect(play(['a'], six.slice(1)).judged).toMatchObject({ judged: 'again', pauseMs: 4_000 });
    expect(play(['a'], six).judged).toEqual({ judged: 'ended', outcome: 'upstream_unavailable' });
  });
});

describe('trouble', () => {
  it('is given up after five tries, four seconds apart, as upstream unavailable (upstream 1.4)', () => {
    const five = Array.from({ length: 5 }, () => ['a', fault] as const);
    expect(play(two, five.slice(1)).judged).toMatchObject({ judged: 'again', pauseMs: 4_000 });
    expect(play(two, five).judged).toEqual({ judged: 'ended', outcome: 'upstream_unavailable' });
  });

  it('pauses longer after DuplicateRequest (upstream 6.17)', () => {
    const answer = { kind: 'fault', reason: 'duplicate_request', eresult: 29 } as const;
    expect(play(two, [['a', answer]]).judged).toMatchObject({ pauseMs: 5_000 });
  });

  it('is not retried where its code is unknown (upstream 6.16)', () => {
    const { judged } = play(two, [['a', { kind: 'refused', eresult: 77 }]]);
    expect(judged).toEqual({ judged: 'ended', outcome: 'upstream_unavailable' });
  });

  it('costs no try where it is throttling, up to its own bound (upstream 6.4)', () => {
    const six = Array.from(
      { length: 6 },
      () => ['a', { kind: 'throttled', retryAfterMs: null }] as const,
    );
    expect(play(two, six.slice(1)).judged).toMatchObject({ judged: 'again', pauseMs: 0 });
    expect(play(two, six).judged).toEqual({ judged: 'ended', outcome: 'upstream_unavailable' });
  });
});

describe('a refused page size', () => {
  it('is reduced once at no cost; then each identity is asked once, then it ends (upstream 6.3)', () => {
    const first = play(two, [['a', badRequest]]);
    expect(first.judged).toMatchObject({ judged: 'again', pauseMs: 0 });
    expect(first.tries.size.count).toBe(1_000);
    expect(avoidedIdentities(first.tries, two)).toEqual([]);

    const second = play(two, [
      ['a', badRequest],
      ['a', badRequest],
    ]);
    expect(avoidedIdentities(second.tries, two)).toEqual(['a']);
    expect(second.judged).toMatchObject({ judged: 'again', rests: [] });

    const all = play(two, [
      ['a', badRequest],
      ['a', badRequest],
      ['b', badRequest],
    ]);
    expect(all.judged).toEqual({ judged: 'ended', outcome: 'upstream_unavailable' });
  });

  it('rests an identity that is refused the size another one is served', () => {
    const { judged } = play(two, [
      ['a', badRequest],
      ['a', badRequest],
      ['b', page],
    ]);
    expect(judged).toMatchObject({ judged: 'page', rests: ['a'] });
  });

  it('is halved at once for a page above the byte limit, within the tries of a page', () => {
    const five = Array.from({ length: 5 }, () => ['a', { kind: 'too_large' }] as const);
    const { judged, tries } = play(['a'], five.slice(1));
    expect(judged).toMatchObject({ judged: 'again', pauseMs: 0 });
    expect(tries.size.count).toBe(125);
    expect(play(['a'], five).judged).toEqual({
      judged: 'ended',
      outcome: 'upstream_unavailable',
    });
  });
});

const anyAnswer = fc.constantFrom<PlatformAnswer>(
  page,
  fault,
  denied,
  { kind: 'not_found' },
  badRequest,
  unreachable,
  { kind: 'too_large' },
  { kind: 'throttled', retryAfterMs: null },
);

const anyPlay = fc.record({
  identities: fc.integer({ min: 1, max: 4 }).map((count) => two.concat('c', 'd').slice(0, count)),
  isFirstPage: fc.boolean(),
  answers: fc.array(fc.tuple(fc.nat(3), anyAnswer), { minLength: 1, maxLength: 60, size: 'max' }),
});

type Avoid = typeof avoidedIdentities;

const staysUsable = (avoid: Avoid, judge: typeof judgePage) =>
  fc.property(anyPlay, ({ identities, isFirstPage, answers }) => {
    let tries = firstTries(rules);
    for (const [pick, answer] of answers) {
      const avoided = avoid(tries, identities);
      const usable = identities.filter((identity) => !avoided.includes(identity));
      expect(usable).not.toEqual([]);
      const identity = usable[pick % usable.length] ?? '';
      const judged = judge({ tries, isFirstPage, identity, identities }, answer, rules);
      if (judged.judged === 'ended') return;
      if (answer.kind === 'page') expect(judged.rests).not.toContain(identity);
      else expect(judged.rests).toEqual([]);
      if (judged.judged === 'page') return;
      tries = judged.tries;
    }
    // Each answer is a try, a throttled one, a free one of its identity, or page 1 after a denial.
    const most = 2 * rules.triesMax + rules.throttledMax + identities.length + 1;
    expect(answers.length).toBeLessThanOrEqual(most);
  });

describe('whatever the platform answers', () => {
  it('an identity is left to ask, none is rested that is served, and the tries end', () => {
    fc.assert(staysUsable(avoidedIdentities, judgePage), { numRuns: propertyRuns(3_000) });
  });

  it.each<[string, Avoid, typeof judgePage]>([
    [
      'avoids every identity that was refused',
      ({ verdicts }, identities) =>
        identities.filter((id) => verdicts.some(({ identity }) => identity === id)),
      judgePage,
    ],
    [
      'rests the identity that is served',
      avoidedIdentities,
      (asked, answer, of) => {
        const judged = judgePage(asked, answer, of);
        return judged.judged === 'page' ? { ...judged, rests: [asked.identity] } : judged;
      },
    ],
    [
      'forgets the tries',
      avoidedIdentities,
      (asked, ...rest) => judgePage({ ...asked, tries: firstTries(rules) }, ...rest),
    ],
  ])('the property notices rules that %s', (_fault, avoid, judge) => {
    const runs = { seed: 3, numRuns: 10_000, endOnFailure: true };
    expect(fc.check(staysUsable(avoid, judge), runs).failed).toBe(true);
  });
});
