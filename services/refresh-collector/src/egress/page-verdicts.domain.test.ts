import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import {
  avoidedIdentities,
  evaluatePage,
  firstTries,
  type PageRules,
  type PageTries,
  type PageVerdict,
  requestsFirstPage,
  unreachableIdentities,
} from './page-verdicts.domain.ts';

const rules: PageRules = {
  triesMax: 5,
  throttledMax: 6,
  retryMs: 4_000,
  duplicateRetryMs: 5_000,
  count: 2_000,
  smallerCount: 1_000,
};

const page: PlatformResponse = {
  kind: 'page',
  page: { assets: [], descriptions: [], reportedTotalCount: 5, more: false, lastAssetId: null },
};
const fault = { kind: 'fault', reason: 'server_error', eresult: 55 } as const;
const unreachable = { kind: 'unreachable' } as const;
const denied = { kind: 'private' } as const;
const blocked = { kind: 'blocked', retryAfterMs: null } as const;
const badRequest = { kind: 'bad_request' } as const;

interface Played {
  readonly verdict: PageVerdict;
  readonly tries: PageTries;
}

/** Responses one after another, each to the named identity, until the page has a verdict. */
function play(
  identities: readonly string[],
  responses: readonly (readonly [identity: string, response: PlatformResponse])[],
  isFirstPage = true,
): Played {
  let tries = firstTries(rules.count);
  let verdict: PageVerdict | undefined;
  for (const [identity, response] of responses) {
    verdict = evaluatePage({ tries, isFirstPage, identity, identities }, response, rules);
    if (verdict.result !== 'retry') return { verdict, tries };
    tries = verdict.tries;
  }
  if (!verdict) throw new Error('no responses');
  return { verdict, tries };
}

const two = ['a', 'b'];

describe('a denial', () => {
  it.each(['private', 'not_found'] as const)(
    '%s is confirmed only by a second identity, which is used at once (upstream 6.6) [confirmation]',
    (kind) => {
      const { verdict, tries } = play(two, [['a', { kind }]]);
      expect(verdict).toMatchObject({ result: 'retry', pauseMs: 0 });
      expect(avoidedIdentities(tries, two)).toEqual(['a']);

      const twice = play(two, [
        ['a', { kind }],
        ['b', { kind }],
      ]);
      expect(twice.verdict).toEqual({ result: 'ended', outcome: kind });
    },
  );

  it('of the only identity is confirmed when the same one repeats it after a pause', () => {
    const { verdict, tries } = play(['a'], [['a', denied]]);
    expect(verdict).toMatchObject({ result: 'retry', pauseMs: 4_000 });
    expect(avoidedIdentities(tries, ['a'])).toEqual([]);

    const twice = play(
      ['a'],
      [
        ['a', denied],
        ['a', denied],
      ],
    );
    expect(twice.verdict).toEqual({ result: 'ended', outcome: 'private' });
  });

  it('is confirmed by the only identity that reaches the platform', () => {
    const { verdict } = play(two, [
      ['b', unreachable],
      ['a', denied],
      ['a', denied],
    ]);
    expect(verdict).toEqual({ result: 'ended', outcome: 'private' });
  });

  it('of a later page is confirmed from page 1 (upstream 5: 403 after good pages)', () => {
    const { tries } = play(two, [['a', denied]], false);
    expect(requestsFirstPage(tries)).toBe(true);

    const { verdict } = play(
      two,
      [
        ['a', denied],
        ['b', denied],
      ],
      false,
    );
    expect(verdict).toEqual({ result: 'ended', outcome: 'private' });
  });

  it('of a later page leads back to that page when page 1 is served, and cools down no identity', () => {
    const { verdict, tries } = play(
      two,
      [
        ['a', denied],
        ['b', page],
      ],
      false,
    );
    expect(verdict).toMatchObject({ result: 'retry', cooldowns: [] });
    expect(requestsFirstPage(tries)).toBe(false);
    expect(avoidedIdentities(tries, two)).toEqual(['a']);
  });

  it('of page 2 only ends within the tries of one identity, which is never avoided or cooled down', () => {
    const alternating = Array.from(
      { length: 9 },
      (_, at) => ['a', at % 2 === 0 ? denied : page] as const,
    );
    for (let length = 1; length < alternating.length; length += 1) {
      const { verdict, tries } = play(['a'], alternating.slice(0, length), false);
      expect(verdict).toMatchObject({ result: 'retry', pauseMs: 4_000, cooldowns: [] });
      expect(avoidedIdentities(tries, ['a'])).toEqual([]);
    }
    const { verdict } = play(['a'], alternating, false);
    expect(verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });

  it('cools down the identity that met it where another one is served the same page (upstream 6.6)', () => {
    const { verdict } = play(two, [
      ['a', denied],
      ['b', page],
    ]);
    expect(verdict).toMatchObject({ result: 'page', cooldowns: ['a'] });
  });

  it('never cools down the identity that is served now', () => {
    const { verdict } = play(
      ['a'],
      [
        ['a', denied],
        ['a', page],
      ],
    );
    expect(verdict).toMatchObject({ result: 'page', cooldowns: [] });
  });
});

describe('a blocked identity', () => {
  it('is never a denial: another one is used at once, and cools down only by its own response', () => {
    const { verdict, tries } = play(two, [['a', blocked]]);
    expect(verdict).toMatchObject({ result: 'retry', pauseMs: 0, cooldowns: [] });
    expect(avoidedIdentities(tries, two)).toEqual(['a']);

    const served = play(two, [
      ['a', blocked],
      ['b', page],
    ]);
    expect(served.verdict).toMatchObject({ result: 'page', cooldowns: [] });
  });

  it('confirms no denial, and is not waited for: the other one repeats it', () => {
    const once = [
      ['a', denied],
      ['b', blocked],
    ] as const;
    expect(play(two, once).verdict).toMatchObject({ result: 'retry' });
    const twice = play(two, [...once, ['a', denied]]);
    expect(twice.verdict).toEqual({ result: 'ended', outcome: 'private' });
  });

  it('ends the page after its tries where every identity is', () => {
    const five = Array.from({ length: 5 }, (_, at) => [at % 2 ? 'a' : 'b', blocked] as const);
    expect(play(two, five.slice(1)).verdict).toMatchObject({ result: 'retry' });
    expect(play(two, five).verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });
});

describe('an egress that makes no connection', () => {
  it('is avoided on the next try, costs no try and cools down no identity', () => {
    const { verdict, tries } = play(two, [['a', unreachable]]);
    expect(verdict).toMatchObject({ result: 'retry', pauseMs: 0, cooldowns: [] });
    expect(avoidedIdentities(tries, two)).toEqual(['a']);
    expect(unreachableIdentities(tries)).toEqual(['a']);
  });

  it('does not end a page while others were not used', () => {
    const many = Array.from({ length: 8 }, (_, at) => `egress-${at}`);
    const { verdict } = play(
      many,
      many.map((identity) => [identity, unreachable] as const),
    );
    expect(verdict).toMatchObject({ result: 'retry' });
  });

  it('ends the page after five more tries where there is no other', () => {
    const six = Array.from({ length: 6 }, () => ['a', unreachable] as const);
    expect(play(['a'], six.slice(1)).verdict).toMatchObject({ result: 'retry', pauseMs: 4_000 });
    expect(play(['a'], six).verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });
});

describe('a failure', () => {
  it('ends the page after five tries, four seconds apart, as upstream unavailable (upstream 1.4)', () => {
    const five = Array.from({ length: 5 }, () => ['a', fault] as const);
    expect(play(two, five.slice(1)).verdict).toMatchObject({ result: 'retry', pauseMs: 4_000 });
    expect(play(two, five).verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });

  it('pauses longer after DuplicateRequest (upstream 6.17)', () => {
    const response = { kind: 'fault', reason: 'duplicate_request', eresult: 29 } as const;
    expect(play(two, [['a', response]]).verdict).toMatchObject({ pauseMs: 5_000 });
  });

  it.each([
    [120_000, 120_000],
    [1_000, 4_000],
    [0, 4_000],
  ])(
    'pauses for %i ms where the platform requests it, and never less than usual (upstream 1.4a)',
    (retryAfterMs, pauseMs) => {
      const response = { ...fault, eresult: null, retryAfterMs };
      expect(play(two, [['a', response]]).verdict).toMatchObject({
        result: 'retry',
        pauseMs,
        cooldowns: [],
      });
    },
  );

  it('is not retried where its code is unknown (upstream 6.16)', () => {
    const { verdict } = play(two, [['a', { kind: 'refused', eresult: 77 }]]);
    expect(verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });

  it('costs no try where it is throttling, up to its own bound (upstream 6.4) [identity-silence]', () => {
    const six = Array.from(
      { length: 6 },
      () => ['a', { kind: 'throttled', retryAfterMs: null }] as const,
    );
    expect(play(two, six.slice(1)).verdict).toMatchObject({ result: 'retry', pauseMs: 0 });
    expect(play(two, six).verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });
});

describe('a refused page size', () => {
  it('is reduced once at no cost; then each identity is used once, then it ends (upstream 6.3)', () => {
    const first = play(two, [['a', badRequest]]);
    expect(first.verdict).toMatchObject({ result: 'retry', pauseMs: 0 });
    expect(first.tries.size.count).toBe(1_000);
    expect(avoidedIdentities(first.tries, two)).toEqual([]);

    const second = play(two, [
      ['a', badRequest],
      ['a', badRequest],
    ]);
    expect(avoidedIdentities(second.tries, two)).toEqual(['a']);
    expect(second.verdict).toMatchObject({ result: 'retry', cooldowns: [] });

    const all = play(two, [
      ['a', badRequest],
      ['a', badRequest],
      ['b', badRequest],
    ]);
    expect(all.verdict).toEqual({ result: 'ended', outcome: 'upstream_unavailable' });
  });

  it('cools down an identity that is refused the size another one is served', () => {
    const { verdict } = play(two, [
      ['a', badRequest],
      ['a', badRequest],
      ['b', page],
    ]);
    expect(verdict).toMatchObject({ result: 'page', cooldowns: ['a'] });
  });

  it('is halved at once for a page above the byte limit, within the tries of a page', () => {
    const five = Array.from({ length: 5 }, () => ['a', { kind: 'too_large' }] as const);
    const { verdict, tries } = play(['a'], five.slice(1));
    expect(verdict).toMatchObject({ result: 'retry', pauseMs: 0 });
    expect(tries.size.count).toBe(125);
    expect(play(['a'], five).verdict).toEqual({
      result: 'ended',
      outcome: 'upstream_unavailable',
    });
  });
});

const anyResponse = fc.constantFrom<PlatformResponse>(
  page,
  fault,
  denied,
  { kind: 'not_found' },
  badRequest,
  unreachable,
  blocked,
  { kind: 'too_large' },
  { kind: 'throttled', retryAfterMs: null },
);

const anyPlay = fc.record({
  identities: fc.integer({ min: 1, max: 4 }).map((count) => two.concat('c', 'd').slice(0, count)),
  isFirstPage: fc.boolean(),
  responses: fc.array(fc.tuple(fc.nat(3), anyResponse), {
    minLength: 1,
    maxLength: 60,
    size: 'max',
  }),
});

type Avoid = typeof avoidedIdentities;

const staysUsable = (avoid: Avoid, evaluate: typeof evaluatePage) =>
  fc.property(anyPlay, ({ identities, isFirstPage, responses }) => {
    let tries = firstTries(rules.count);
    for (const [pick, response] of responses) {
      const avoided = avoid(tries, identities);
      const usable = identities.filter((identity) => !avoided.includes(identity));
      expect(usable).not.toEqual([]);
      const identity = usable[pick % usable.length] ?? '';
      const verdict = evaluate({ tries, isFirstPage, identity, identities }, response, rules);
      if (verdict.result === 'ended') return;
      if (response.kind === 'page') expect(verdict.cooldowns).not.toContain(identity);
      else expect(verdict.cooldowns).toEqual([]);
      if (verdict.result === 'page') return;
      tries = verdict.tries;
    }
    // Each response is a try, a throttled one, a free one of its identity, or page 1 after a denial.
    const most = 2 * rules.triesMax + rules.throttledMax + identities.length + 1;
    expect(responses.length).toBeLessThanOrEqual(most);
  });

describe('whatever the platform responds', () => {
  it('an identity stays usable, none is cooled down that is served, and the tries end', () => {
    fc.assert(staysUsable(avoidedIdentities, evaluatePage), { numRuns: propertyRuns(3_000) });
  });

  it.each<[string, Avoid, typeof evaluatePage]>([
    [
      'avoids every identity that was refused',
      ({ responses }, identities) =>
        identities.filter((id) => responses.some(({ identity }) => identity === id)),
      evaluatePage,
    ],
    [
      'cools down the identity that is served',
      avoidedIdentities,
      (attempt, response, of) => {
        const evaluated = evaluatePage(attempt, response, of);
        return evaluated.result === 'page'
          ? { ...evaluated, cooldowns: [attempt.identity] }
          : evaluated;
      },
    ],
    [
      'forgets the tries',
      avoidedIdentities,
      (attempt, ...rest) => evaluatePage({ ...attempt, tries: firstTries(rules.count) }, ...rest),
    ],
  ])('the property notices rules that %s', (_fault, avoid, evaluate) => {
    const runs = { seed: 3, numRuns: 10_000, endOnFailure: true };
    expect(fc.check(staysUsable(avoid, evaluate), runs).failed).toBe(true);
  });
});
