import { languages } from '@inventory/contracts/languages';
import type { SavedObservation } from '@inventory/contracts/messages/revision';
import fc from 'fast-check';
import { mayTake } from './saved-observation.domain.ts';

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
  'an observation of a minute ago serves one that allows %s s: %s (Freshness) [max-age-seconds]',
  (maxAgeSeconds, taken) => {
    const freshness = maxAgeSeconds === null ? null : { maxAgeSeconds };
    expect(mayTake({ freshness, language: 'english' }, observation, nowMs)).toBe(taken);
  },
);

test('never one of another language, never an older one, whatever is requested (Freshness) [max-age-seconds]', () => {
  const language = fc.constantFrom(...languages);
  const freshness = fc.option(fc.record({ maxAgeSeconds: fc.integer({ min: 0, max: 86_400 }) }));
  fc.assert(
    fc.property(
      language,
      language,
      freshness,
      fc.integer({ min: 0, max: 2 * 86_400_000 }),
      (wanted, collected, allowed, ageMs) => {
        const seen = { ...observation, language: collected, verifiedAtMs: nowMs - ageMs };
        const taken = mayTake({ freshness: allowed, language: wanted }, seen, nowMs);
        const maxAgeMs = allowed && allowed.maxAgeSeconds * 1_000;
        expect(taken).toBe(maxAgeMs !== null && wanted === collected && ageMs <= maxAgeMs);
      },
    ),
  );
});
