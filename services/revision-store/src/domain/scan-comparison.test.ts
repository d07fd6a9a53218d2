import type { Language } from '@inventory/contracts/languages';
import { type Observation, type TextSet, textsFor } from './observation.ts';
import { compareWithHead, type Findings } from './scan-comparison.ts';

const fresh = {
  revisionId: 'invrev_new',
  observationId: 'invobs_new',
  textSetId: 'texts-new',
  rowSetId: 'rows-new',
} as const;

const textSet = (
  textSetId: string,
  digest: string,
  rows: Partial<Pick<TextSet, 'rowSetId' | 'rowsDigest'>> = {},
): TextSet => ({ textSetId, digest, rowSetId: null, rowsDigest: 'rows', ...rows });

const head: Observation = {
  observationId: 'invobs_head',
  revision: {
    revisionId: 'invrev_head',
    ownershipDigest: 'owned',
    totalCount: 3,
    totalAmount: '4',
    descriptionCount: 2,
    blockAssets: 1000,
    chain: { root: 'invrev_root', ordinal: 7 },
    joins: [],
  },
  source: 'refresh',
  sequence: null,
  scannedUntilMs: 2_000,
  language: 'english',
  scanWindow: { startedAtMs: 1_000, completedAtMs: 2_000 },
  reportedTotalCount: 3,
  texts: { english: textSet('texts-head', 'words') },
};

const findings = (changes: Partial<Findings> = {}): Findings => ({
  source: 'refresh',
  sequence: null,
  language: 'english',
  scanWindow: { startedAtMs: 3_000, completedAtMs: 4_000 },
  reportedTotalCount: 5,
  ownershipDigest: 'owned',
  textDigest: 'words',
  rowsDigest: 'rows',
  totalCount: 3,
  totalAmount: '4',
  descriptionCount: 2,
  ...changes,
});

const given = (changes: Partial<Findings>, present: Observation | null = head) =>
  compareWithHead(findings(changes), present, fresh, 2000);

describe('The comparison of a scan with the head (Refresh: unchanged) [unchanged]', () => {
  it('calls a first revision changed [first-revision-is-changed]', () => {
    const verdict = given({}, null);

    expect(verdict).toMatchObject({ changed: true, becomes: 'head', writesAssets: true });
    expect(verdict.observation.revision).toEqual({
      revisionId: 'invrev_new',
      ownershipDigest: 'owned',
      totalCount: 3,
      totalAmount: '4',
      descriptionCount: 2,
      blockAssets: 2000,
      chain: { root: 'invrev_new', ordinal: 0 },
      joins: [],
    });
  });

  it('keeps revision and texts of the same assets and texts, under a new observation', () => {
    const verdict = given({});

    expect(verdict).toMatchObject({ changed: false, writesAssets: false, writesTexts: false });
    expect(verdict.head).toBe(verdict.observation);
    expect(verdict.observation).toEqual({
      ...head,
      observationId: 'invobs_new',
      scannedUntilMs: 4_000,
      scanWindow: { startedAtMs: 3_000, completedAtMs: 4_000 },
      reportedTotalCount: 5,
    });
  });

  it('adds the texts of another language to the same revision [another-language]', () => {
    const verdict = given({ language: 'german', textDigest: 'Worte' });

    expect(verdict).toMatchObject({ changed: false, writesAssets: false, writesTexts: true });
    expect(verdict.observation.revision).toBe(head.revision);
    expect(verdict.observation.texts).toEqual({
      english: textSet('texts-head', 'words'),
      german: textSet('texts-new', 'Worte'),
    });
  });

  it('stores changed texts as a new set and keeps the previous one unchanged', () => {
    const verdict = given({ textDigest: 'other words' });

    expect(verdict).toMatchObject({ changed: false, writesTexts: true });
    expect(verdict.observation.texts.english?.textSetId).toBe('texts-new');
    expect(head.texts.english?.textSetId).toBe('texts-head');
  });

  it('stores changed rows of the same assets as a set of their own, beside the same texts', () => {
    const verdict = given({ rowsDigest: 'other rows' });

    expect(verdict).toMatchObject({
      changed: false,
      writesAssets: false,
      writesTexts: false,
      writesRows: true,
    });
    const rows = { rowSetId: 'rows-new', rowsDigest: 'other rows' };
    expect(verdict.observation.texts.english).toEqual(textSet('texts-head', 'words', rows));
    expect(head.texts.english?.rowSetId).toBeNull();
  });

  it('uses rows that are known of the revision, in whatever language', () => {
    const rows = { rowSetId: 'rows-german', rowsDigest: 'Zeilen' };
    const known = { ...head.texts, german: textSet('texts-german', 'Worte', rows) };
    const present = { ...head, texts: known };

    const german = given({ rowsDigest: 'Zeilen' }, present);
    const english = given({ language: 'german', textDigest: 'Worte' }, present);

    expect(german.observation.texts.english).toEqual(textSet('texts-head', 'words', rows));
    expect(english.observation.texts.german).toEqual(textSet('texts-german', 'Worte'));
    expect([german.writesRows, english.writesRows]).toEqual([false, false]);
  });

  it('starts a revision with the texts of its own scan alone', () => {
    const verdict = given({ ownershipDigest: 'more', language: 'german' });

    expect(verdict).toMatchObject({ changed: true, writesAssets: true, writesTexts: true });
    expect(verdict.writesRows).toBe(false);
    expect(Object.keys(verdict.observation.texts)).toEqual(['german']);
  });

  it('saves a scan that ended before the head’s as superseded already', () => {
    const window = { startedAtMs: 500, completedAtMs: 1_999 };

    expect(given({ scanWindow: window, ownershipDigest: 'older' })).toMatchObject({
      becomes: 'superseded',
      changed: true,
      writesAssets: true,
    });
    expect(given({ scanWindow: { ...window, completedAtMs: 2_000 } }).becomes).toBe('head');
  });

  it('orders scans by their sequence alone, a later time or an earlier one notwithstanding', () => {
    const sequenced = { ...head, sequence: 7 };
    const late = { startedAtMs: 8_000, completedAtMs: 9_000 };
    const early = { startedAtMs: 500, completedAtMs: 900 };

    expect(given({ sequence: 6, scanWindow: late }, sequenced)).toMatchObject({
      becomes: 'superseded',
      head: { ...sequenced, scannedUntilMs: 9_000 },
    });
    expect(given({ sequence: 8, scanWindow: early }, sequenced)).toMatchObject({
      becomes: 'head',
      observation: { sequence: 8, scanWindow: { startedAtMs: 500, completedAtMs: 2_000 } },
    });
  });

  it.each([
    [1_999, 'superseded'],
    [2_000, 'head'],
  ] as const)(
    'compares a scan that ended at %i with a head without a sequence by time: it is %s',
    (completedAtMs, becomes) => {
      const window = { startedAtMs: 500, completedAtMs };

      expect(given({ sequence: 8, scanWindow: window }).becomes).toBe(becomes);
      expect(given({ sequence: 8, scanWindow: window }, { ...head, sequence: 7 }).becomes).toBe(
        'head',
      );
    },
  );

  it.each([
    // The chain of the head began at 1,000.
    [1_000, 'superseded'],
    [1_001, 'head'],
    [4_000, 'head'],
  ] as const)(
    'compares the scan of a refresh that ended at %i with the start of a captured head: it is %s [capture]',
    (completedAtMs, becomes) => {
      const window = { startedAtMs: 500, completedAtMs };

      for (const sequence of [null, 6, 8]) {
        const captured = { ...head, source: 'capture', sequence: 7, scannedUntilMs: 900 } as const;
        expect(given({ sequence, scanWindow: window }, captured)).toMatchObject({
          becomes,
          head: {
            source: becomes === 'head' ? 'refresh' : 'capture',
            sequence: Math.max(7, sequence ?? 0),
          },
          observation: {
            scanWindow: {
              completedAtMs: becomes === 'head' ? Math.max(2_000, completedAtMs) : completedAtMs,
            },
          },
        });
      }
    },
  );

  it('saves any scan where there is no head, as after an erasure [erase]', () => {
    expect(given({ sequence: 6 }, null)).toMatchObject({
      becomes: 'head',
      observation: { sequence: 6 },
    });
  });

  it.each([
    // Scans of refreshes ended by then, whether or not one of them is the head.
    ['refresh', 2_000],
    ['refresh', 5_000],
    ['capture', 2_000],
    ['capture', null],
  ] as const)(
    'lets a capture follow a %s where no scan ended since its chain began (%s), and no later chain began [capture]',
    (source, scannedUntilMs) => {
      const present = { ...head, source, scannedUntilMs };
      const sinceMs = scannedUntilMs ?? head.scanWindow.startedAtMs;
      const began = (startedAtMs: number) =>
        given({ source: 'capture', scanWindow: { startedAtMs, completedAtMs: 9_000 } }, present);

      expect(began(sinceMs - 1)).toMatchObject({ becomes: 'superseded', head: present });
      expect(began(sinceMs)).toMatchObject({
        becomes: 'head',
        head: { source: 'capture', scannedUntilMs, sequence: null },
      });
    },
  );
});

describe('The language of descriptions (Reads: Current with another language)', () => {
  const bilingual: Observation = {
    ...head,
    language: 'german',
    texts: { ...head.texts, german: textSet('texts-german', 'Worte') },
  };

  it.each<[Language, Language]>([
    ['english', 'english'],
    ['german', 'german'],
    ['thai', 'german'],
  ])('wanted %s is given in %s', (wanted, expected) => {
    expect(textsFor(bilingual, wanted)).toEqual({
      language: expected,
      textSet: bilingual.texts[expected],
    });
  });
});
