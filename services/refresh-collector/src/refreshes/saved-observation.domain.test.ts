import { languages } from '@inventory/contracts/languages';
import fc from 'fast-check';
import { mayTake, type SavedObservation } from './saved-observation.domain.ts';

const nowMs = Date.UTC(2026, 10, 26);
const observation: SavedObservation = {
  revisionId: 'invrev_0198c0de-0000-7000-8000-000000000003',
  verifiedAtMs: nowMs - 60_000,
  language: 'english',
  observedAssets: 7,
  changed: false,
  previousRevisionId: null,
};

test.each([
  [60, true],
  [59, false],
  [0, false],
  [null, false],
])(
  'an observation of a minute ago answers one that allows %s s: %s (Freshness) [max-age-seconds]',
  (maxAgeSeconds, taken) => {
    expect(mayTake({ maxAgeSeconds, language: 'english' }, observation, nowMs)).toBe(taken);
  },
);

test('never one of another language, never an older one, whatever is asked (Freshness) [max-age-seconds]', () => {
  const language = fc.constantFrom(...languages);
  const maxAgeSeconds = fc.option(fc.integer({ min: 0, max: 86_400 }));
  fc.assert(
    fc.property(
      language,
      language,
      maxAgeSeconds,
      fc.integer({ min: 0, max: 2 * 86_400_000 }),
      (wanted, collected, maxAge, ageMs) => {
        const seen = { ...observation, language: collected, verifiedAtMs: nowMs - ageMs };
        const taken = mayTake({ maxAgeSeconds: maxAge, language: wanted }, seen, nowMs);
        expect(taken).toBe(maxAge !== null && wanted === collected && ageMs <= maxAge * 1_000);
      },
    ),
  );
});
