import { languages } from '@inventory/contracts/languages';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { fingerprintText } from './refresh-attempt.ts';

const inputs: fc.Arbitrary<Parameters<typeof fingerprintText>[0]> = fc.record({
  scope: fc.record({
    platform_id: fc.constantFrom('76561198000000001', '76561198000000012'),
    app_id: fc.integer({ min: 1, max: 30 }),
    context_id: fc.integer({ min: 1, max: 30 }),
  }),
  language: fc.constantFrom(...languages),
  maxCredits: fc.integer({ min: 125, max: 130 }),
  maxAgeSeconds: fc.option(fc.integer({ min: 0, max: 3 })),
});

test('two requests have one fingerprint exactly when every input is the same (Refresh: key) [idempotency-key]', () => {
  fc.assert(
    fc.property(inputs, inputs, (left, right) => {
      const areSame = JSON.stringify(left) === JSON.stringify(right);

      expect(fingerprintText(left) === fingerprintText(right)).toBe(areSame);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});
