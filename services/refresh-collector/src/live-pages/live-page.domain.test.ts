import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { PlatformAnswer } from '../egress/platform-answer.domain.ts';
import { asksFirstPage, avoidedIdentities, type PageRules } from '../scans/page-verdicts.domain.ts';
import {
  afterLiveAnswer,
  beginLivePage,
  type LiveOutcome,
  type LiveReading,
  liveRetryAfterSeconds,
  outOfTime,
} from './live-page.domain.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 10, numRuns: 10_000, endOnFailure: true };

const rules: PageRules = {
  triesMax: 3,
  throttledMax: 6,
  retryMs: 1_000,
  duplicateRetryMs: 5_000,
  count: 2_000,
  smallerCount: 1_000,
};

const page = (lastAssetId: string | null, more: boolean): PlatformAnswer => ({
  kind: 'page',
  page: { assets: [], descriptions: [], reportedTotalCount: 5_000, more, lastAssetId },
});

const anyAnswer: fc.Arbitrary<PlatformAnswer> = fc.oneof(
  fc.constantFrom(page('7', true), page(null, false), page(null, true), page('8', true)),
  fc.constantFrom<PlatformAnswer>(
    { kind: 'private' },
    { kind: 'not_found' },
    { kind: 'throttled', retryAfterMs: null },
    { kind: 'bad_request' },
    { kind: 'too_large' },
    { kind: 'unreachable' },
    { kind: 'refused', eresult: 77 },
    { kind: 'fault', reason: 'timeout', eresult: null },
    { kind: 'fault', reason: 'duplicate_request', eresult: 29 },
    { kind: 'fault', reason: 'bad_answer', eresult: null },
  ),
);

interface Asked {
  readonly identity: string;
  readonly probing: boolean;
  readonly answer: PlatformAnswer;
}

type Judge = typeof afterLiveAnswer;

/** Plays answers against a page until it is settled; undefined when they run out. */
function play(
  start: string | null,
  identities: number,
  answers: readonly (readonly [number, PlatformAnswer])[],
  judge: Judge = afterLiveAnswer,
): { outcome: LiveOutcome | undefined; asked: Asked[]; last: LiveReading } {
  let reading = beginLivePage(start, rules);
  const asked: Asked[] = [];
  const all = Array.from({ length: identities }, (_, index) => `egress-${index}`);
  for (const [pick, answer] of answers) {
    const avoided = avoidedIdentities(reading.tries, all);
    const usable = all.filter((id) => !avoided.includes(id));
    const identity = usable[pick % usable.length] ?? 'none';
    asked.push({ identity, probing: start !== null && asksFirstPage(reading.tries), answer });
    const step = judge(reading, { identity, identities: all }, answer, rules);
    if (step.outcome) return { outcome: step.outcome, asked, last: reading };
    reading = step.reading;
  }
  return { outcome: undefined, asked, last: reading };
}

const anyPlay = fc.record({
  start: fc.constantFrom(null, '7'),
  identities: fc.integer({ min: 1, max: 3 }),
  answers: fc.array(fc.tuple(fc.nat(5), anyAnswer), { minLength: 1, maxLength: 20 }),
});

const billsOnlyWhatIsConfirmed = (judge?: Judge) =>
  fc.property(anyPlay, ({ start, identities, answers }) => {
    const { outcome, asked } = play(start, identities, answers, judge);
    if (outcome?.result !== 'private' && outcome?.result !== 'not_found') return;
    const same = asked.filter(({ answer }) => answer.kind === outcome.result);
    const witnesses = new Set(same.map(({ identity }) => identity)).size;
    const dead = asked.filter(({ answer }) => answer.kind === 'unreachable');
    const reaching = identities - new Set(dead.map(({ identity }) => identity)).size;
    expect(reaching <= 1 ? same.length >= 2 : witnesses >= 2).toBe(true);
    // A later page says nothing about the inventory: its first page has to be denied too.
    if (start !== null) expect(asked.at(-1)?.probing).toBe(true);
  });

describe('whatever the platform answers', () => {
  it('a denial that is billed was seen by two identities, or twice by the only one', () => {
    fc.assert(billsOnlyWhatIsConfirmed(), { numRuns: propertyRuns(5_000) });
  });

  it.each<[string, Judge]>([
    [
      'believes one identity where there are others',
      (reading, { identity }, ...rest) =>
        afterLiveAnswer(reading, { identity, identities: [identity] }, ...rest),
    ],
    [
      'believes a later page alone',
      (reading, asked, answer, of) => {
        const step = afterLiveAnswer(reading, asked, answer, of);
        if (answer.kind !== 'private' || step.outcome) return step;
        const isSecond = reading.trouble === 'unconfirmed';
        const next = { ...step.reading, tries: reading.tries };
        return { ...step, reading: next, outcome: isSecond ? { result: 'private' } : null };
      },
    ],
  ])('the property notices a judge that %s', (_fault, judge) => {
    expect(fc.check(billsOnlyWhatIsConfirmed(judge), faultRuns).failed).toBe(true);
  });

  it('a page is only what was asked for and can be gone on from', () => {
    fc.assert(
      fc.property(anyPlay, ({ start, identities, answers }) => {
        const { outcome, asked } = play(start, identities, answers);
        if (outcome?.result !== 'page') return;
        expect(asked.at(-1)?.probing).toBe(false);
        const { more, lastAssetId } = outcome.page;
        expect(!more || (lastAssetId !== null && lastAssetId !== start)).toBe(true);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  it('it is settled within a bounded number of requests', () => {
    fc.assert(
      fc.property(anyPlay, ({ start, identities, answers }) => {
        const { asked } = play(start, identities, answers);
        // Each answer is a try, a throttled one, a free one, or page 1 after a denial.
        const free = identities + 1;
        expect(asked.length).toBeLessThanOrEqual(2 * rules.triesMax + rules.throttledMax + free);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });
});

it.each<[string, readonly PlatformAnswer[], string]>([
  ['nothing was free to ask', [], 'egress_busy'],
  ['a first denial waits for a second witness', [{ kind: 'private' }], 'unconfirmed'],
  ['every identity was throttled', [{ kind: 'throttled', retryAfterMs: null }], 'throttled'],
  ['the platform was silent', [{ kind: 'fault', reason: 'timeout', eresult: null }], 'timeout'],
  ['no egress made a connection', [{ kind: 'unreachable' }], 'egress_busy'],
  ['the platform talked nonsense', [{ kind: 'bad_request' }], 'bad_answer'],
])('when the time is up and %s, that is what is said', (_what, answers, expected) => {
  const { last } = play(
    null,
    2,
    answers.map((answer) => [0, answer] as const),
  );

  expect(outOfTime(last)).toEqual({ result: 'trouble', trouble: expected });
});

it.each<[LiveOutcome, number]>([
  [{ result: 'trouble', trouble: 'breaker_open' }, 42],
  [{ result: 'trouble', trouble: 'egress_busy' }, 9],
  [{ result: 'trouble', trouble: 'throttled' }, 7],
  [{ result: 'trouble', trouble: 'unconfirmed' }, 7],
  [{ result: 'trouble', trouble: 'bad_answer' }, 5],
  [{ result: 'trouble', trouble: 'timeout' }, 5],
])('%j is worth another try when what it waits for has passed', (outcome, seconds) => {
  const waits = { breakerOpenMs: 41_500, identityFreeInMs: 6_900, queueMs: 8_200 };

  expect(liveRetryAfterSeconds(outcome, waits)).toBe(seconds);
});

it('nobody is told to wait for less than a second or more than ten minutes', () => {
  const trouble = { result: 'trouble', trouble: 'throttled' } as const;
  const waits = { breakerOpenMs: 0, queueMs: 0 };

  expect(liveRetryAfterSeconds(trouble, { ...waits, identityFreeInMs: 0 })).toBe(1);
  expect(liveRetryAfterSeconds(trouble, { ...waits, identityFreeInMs: 9e6 })).toBe(600);
});
