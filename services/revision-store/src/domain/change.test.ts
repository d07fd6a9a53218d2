import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type Change, composeChange, keyOfChange } from './change.ts';
import { judgeUnjoined, mergesAt, mintedAtMs, spansBetween } from './change-chain.ts';
import { assetIdentity } from './page-survey.ts';

/** A state of one asset: null where it is not there. */
const state = fc.option(
  fc.record({ amount: fc.constantFrom('1', '2'), classid: fc.constantFrom('5', '6') }),
);
const rowOf = (of: { readonly amount: string; readonly classid: string } | null) =>
  of && Buffer.from(JSON.stringify({ ...of, instanceid: '0', assetid: '7' }));

/** The changes of one asset over its states, as sets have them: none where two are alike. */
function changesOver(states: readonly (Buffer | null)[]): Change[] {
  return states.slice(1).flatMap((after, at) => {
    const before = states[at] ?? null;
    return String(before) === String(after) ? [] : { key: '017a', before, after };
  });
}

const composes = (compose: typeof composeChange) =>
  fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), (states) => {
    const rows = states.map(rowOf);
    const [first = null, last = null] = [rows[0], rows.at(-1)];
    const composed = compose(changesOver(rows));
    const expected = changesOver([first, last])[0] ?? null;
    expect(composed).toEqual(expected);
  });

describe('Changes of one asset (Beyond the interface: Changes) [changes-are-a-function-of-two-revisions]', () => {
  it('compose to the difference of its first and its last state', () => {
    fc.assert(composes(composeChange), { numRuns: propertyRuns(300) });
  });

  it('would not if what came and went again counted', () => {
    const keepsAll = (changes: readonly Change[]): Change | null => {
      const [first] = changes;
      return first ? { ...first, after: changes.at(-1)?.after ?? null } : null;
    };
    expect(fc.check(composes(keepsAll), { seed: 1, numRuns: 300 }).failed).toBe(true);
  });

  it('are ordered by assetid as an integer, what is no number last', () => {
    const keyOf = (assetid: string, fields: Record<string, unknown> = {}) =>
      keyOfChange(
        assetIdentity({
          appid: 730,
          contextid: '2',
          classid: '5',
          instanceid: '0',
          amount: '1',
          assetid,
          ...fields,
        }),
        { appid: 730, contextid: '2' },
      );
    const keys = [
      keyOf('0'),
      keyOf('9'),
      keyOf('09'),
      keyOf('9', { currencyid: '9' }),
      keyOf('10'),
      keyOf('9007199254740993'),
      keyOf('18446744073709551615'),
      keyOf('1', { appid: 753 }),
      keyOf('ß'),
    ];

    expect(keys.slice(0, 7).toSorted()).toEqual(keys.slice(0, 7));
    expect(new Set(keys).size).toBe(keys.length);
    for (const other of keys.slice(7)) expect(other > (keys[6] ?? '')).toBe(true);
  });
});

describe('The change sets that lead from one revision to another (Everything is bounded) [a-chain-of-changes-is-few-sets]', () => {
  it('follow each other, are written with the head that they end at, and are at most 58 in a month', () => {
    const ordinal = fc.nat({ max: 8_928 });
    fc.assert(
      fc.property(ordinal, ordinal, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const spans = spansBetween(from, to);
        const isWritten = (start: number, end: number) =>
          end === start + 1 || mergesAt(end).some(([first]) => first?.[0] === start);
        expect([from, ...spans.map(([, end]) => end)]).toEqual([...spans.map(([at]) => at), to]);
        expect(spans.every(([start, end]) => isWritten(start, end))).toBe(true);
        expect(spans.length).toBeLessThanOrEqual(58);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('are merged from the next shorter ones, end to end', () => {
    expect(mergesAt(7)).toEqual([]);
    expect(mergesAt(16)).toEqual([Array.from({ length: 8 }, (_, at) => [8 + at, 9 + at])]);
    expect(mergesAt(64).map(([first]) => first)).toEqual([
      [56, 57],
      [0, 8],
    ]);
  });
});

describe('A revision from which nothing leads (Beyond the interface: 410 revision_expired) [revision-expired]', () => {
  it('has expired where the inventory was known when it was minted, and is unknown otherwise', () => {
    const since = 'invrev_0190abcd-ef01-7000-8000-000000000000' as const;
    const at = mintedAtMs(since);

    expect(at).toBe(0x0190abcdef01);
    expect(judgeUnjoined(since, { sinceMs: at, untilMs: at + 1 })).toBe('expired');
    expect(judgeUnjoined(since, { sinceMs: at + 1, untilMs: at + 2 })).toBe('unknown');
    expect(judgeUnjoined(since, { sinceMs: at - 1, untilMs: at })).toBe('unknown');
  });
});
