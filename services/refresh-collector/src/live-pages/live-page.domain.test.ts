import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  avoidedIdentities,
  type PageRules,
  requestsFirstPage,
} from '../egress/page-verdicts.domain.ts';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import {
  abandonedReadsMax,
  afterLiveResponse,
  beginLivePage,
  type LivePageOutcome,
  type LivePageProgress,
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

const page = (lastAssetId: string | null, more: boolean): PlatformResponse => ({
  kind: 'page',
  page: { assets: [], descriptions: [], reportedTotalCount: 5_000, more, lastAssetId },
});

const anyResponse: fc.Arbitrary<PlatformResponse> = fc.oneof(
  fc.constantFrom(page('7', true), page(null, false), page(null, true), page('8', true)),
  fc.constantFrom<PlatformResponse>(
    { kind: 'private' },
    { kind: 'not_found' },
    { kind: 'throttled', retryAfterMs: null },
    { kind: 'blocked', retryAfterMs: null },
    { kind: 'bad_request' },
    { kind: 'too_large' },
    { kind: 'unreachable' },
    { kind: 'refused', eresult: 77 },
    { kind: 'fault', reason: 'timeout', eresult: null },
    { kind: 'fault', reason: 'duplicate_request', eresult: 29 },
    { kind: 'fault', reason: 'bad_answer', eresult: null },
  ),
);

interface Request {
  readonly identity: string;
  readonly probing: boolean;
  readonly response: PlatformResponse;
}

type Evaluate = typeof afterLiveResponse;

/** Plays responses against a page until it is settled; undefined when they run out. */
function play(
  start: string | null,
  identities: number,
  responses: readonly (readonly [number, PlatformResponse])[],
  evaluate: Evaluate = afterLiveResponse,
): { outcome: LivePageOutcome | undefined; requests: Request[]; last: LivePageProgress } {
  let progress = beginLivePage(start, rules.count);
  const requests: Request[] = [];
  const all = Array.from({ length: identities }, (_, index) => `egress-${index}`);
  for (const [pick, response] of responses) {
    const avoided = avoidedIdentities(progress.tries, all);
    const usable = all.filter((id) => !avoided.includes(id));
    const identity = usable[pick % usable.length] ?? 'none';
    requests.push({
      identity,
      probing: start !== null && requestsFirstPage(progress.tries),
      response,
    });
    const step = evaluate(progress, { identity, identities: all }, response, rules);
    if (step.outcome) return { outcome: step.outcome, requests, last: progress };
    progress = step.progress;
  }
  return { outcome: undefined, requests, last: progress };
}

const anyPlay = fc.record({
  start: fc.constantFrom(null, '7'),
  identities: fc.integer({ min: 1, max: 3 }),
  responses: fc.array(fc.tuple(fc.nat(5), anyResponse), { minLength: 1, maxLength: 20 }),
});

const billsOnlyWhatIsConfirmed = (evaluate?: Evaluate) =>
  fc.property(anyPlay, ({ start, identities, responses }) => {
    const { outcome, requests } = play(start, identities, responses, evaluate);
    if (outcome?.result !== 'private' && outcome?.result !== 'not_found') return;
    const same = requests.filter(({ response }) => response.kind === outcome.result);
    const witnesses = new Set(same.map(({ identity }) => identity)).size;
    const dead = requests.filter(({ response: { kind } }) =>
      ['unreachable', 'blocked'].includes(kind),
    );
    const reaching = identities - new Set(dead.map(({ identity }) => identity)).size;
    expect(reaching <= 1 ? same.length >= 2 : witnesses >= 2).toBe(true);
    // A denied later page is no evidence: the first page has to be denied too.
    if (start !== null) expect(requests.at(-1)?.probing).toBe(true);
  });

describe('whatever the platform responds', () => {
  it('a denial that is billed was confirmed by two identities, or twice by the only one [confirmation]', () => {
    fc.assert(billsOnlyWhatIsConfirmed(), { numRuns: propertyRuns(5_000) });
  });

  it('the property notices rules that confirm by one identity where there are others', () => {
    const evaluate: Evaluate = (progress, { identity }, ...rest) =>
      afterLiveResponse(progress, { identity, identities: [identity] }, ...rest);
    expect(fc.check(billsOnlyWhatIsConfirmed(evaluate), faultRuns).failed).toBe(true);
  });

  it('a page is the requested one, and has a next cursor where more follow', () => {
    fc.assert(
      fc.property(anyPlay, ({ start, identities, responses }) => {
        const { outcome, requests } = play(start, identities, responses);
        if (outcome?.result !== 'page') return;
        expect(requests.at(-1)?.probing).toBe(false);
        const { more, lastAssetId } = outcome.page;
        expect(!more || (lastAssetId !== null && lastAssetId !== start)).toBe(true);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  it('it ends within a bounded number of requests', () => {
    fc.assert(
      fc.property(anyPlay, ({ start, identities, responses }) => {
        const { requests } = play(start, identities, responses);
        // Each response is a try, a throttled one, a free one, or page 1 after a denial.
        const free = identities + 1;
        expect(requests.length).toBeLessThanOrEqual(2 * rules.triesMax + rules.throttledMax + free);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });
});

it.each<[string, readonly PlatformResponse[], string]>([
  ['no slot was free', [], 'egress_busy'],
  ['a first denial was not confirmed', [{ kind: 'private' }], 'unconfirmed'],
  ['every identity was throttled', [{ kind: 'throttled', retryAfterMs: null }], 'throttled'],
  ['every identity was blocked', [{ kind: 'blocked', retryAfterMs: null }], 'throttled'],
  [
    'the platform did not respond',
    [{ kind: 'fault', reason: 'timeout', eresult: null }],
    'timeout',
  ],
  ['no egress had a connection', [{ kind: 'unreachable' }], 'egress_busy'],
  ['the platform returned no page', [{ kind: 'bad_request' }], 'bad_answer'],
])('when the time has passed and %s, that is the failure', (_what, responses, expected) => {
  const { last } = play(
    null,
    2,
    responses.map((response) => [0, response] as const),
  );

  expect(outOfTime(last)).toEqual({ result: 'failed', failure: expected });
});

it('a page that the platform postpones is retried after the requested wait', () => {
  const response = {
    kind: 'fault',
    reason: 'server_error',
    eresult: null,
    retryAfterMs: 120_000,
  } as const;
  const { last } = play(null, 2, [[0, response]]);
  const outcome = outOfTime(last);

  expect(outcome).toEqual({ result: 'failed', failure: 'bad_answer', retryAfterMs: 120_000 });
  const waits = { breakerOpenMs: 0, identityFreeInMs: 0, queueMs: 0 };
  expect(liveRetryAfterSeconds(outcome, waits)).toBe(120);
});

it.each<[LivePageOutcome, number]>([
  [{ result: 'failed', failure: 'breaker_open' }, 42],
  [{ result: 'failed', failure: 'egress_busy' }, 9],
  [{ result: 'failed', failure: 'throttled' }, 7],
  [{ result: 'concurrency_limit' }, 1],
  [{ result: 'abandoned_limit', retryAfterSeconds: 31 }, 31],
  [{ result: 'failed', failure: 'unconfirmed' }, 7],
  [{ result: 'failed', failure: 'bad_answer' }, 5],
  [{ result: 'failed', failure: 'timeout' }, 5],
])('%j is retried after what it waits for', (outcome, seconds) => {
  const waits = { breakerOpenMs: 41_500, identityFreeInMs: 6_900, queueMs: 8_200 };

  expect(liveRetryAfterSeconds(outcome, waits)).toBe(seconds);
});

it.each([
  [3, 3],
  [300, 30],
])('where %d pages a minute can be read, %d of an account may be abandoned', (pages, most) => {
  expect(abandonedReadsMax(pages)).toBe(most);
});

it('Retry-After is a second at least and ten minutes at most', () => {
  const failed = { result: 'failed', failure: 'throttled' } as const;
  const waits = { breakerOpenMs: 0, queueMs: 0 };

  expect(liveRetryAfterSeconds(failed, { ...waits, identityFreeInMs: 0 })).toBe(1);
  expect(liveRetryAfterSeconds(failed, { ...waits, identityFreeInMs: 9e6 })).toBe(600);
});
