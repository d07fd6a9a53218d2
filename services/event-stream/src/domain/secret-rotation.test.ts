import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type EndpointSecret, rotated, signingSecrets } from './webhook-endpoint.ts';

test('during rotations the newest secret signs and at most two do (Events: webhooks)', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 1_000 }),
    overlapMs: fc.integer({ min: 0, max: 1_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let nowMs = 0;
      let secrets: EndpointSecret[] = [{ secret: 'first', createdAtMs: 0, endsAtMs: null }];
      for (const [index, { afterMs, overlapMs }] of steps.entries()) {
        nowMs += afterMs;
        const replaced = secrets[0]?.secret;
        secrets = rotated(secrets, { secret: `secret ${index}`, overlapMs, nowMs });

        const signing = signingSecrets({ secrets }, nowMs);
        expect(signing).toEqual([`secret ${index}`, ...(overlapMs > 0 ? [replaced] : [])]);
        expect(secrets.length).toBeLessThanOrEqual(2);
        expect(signingSecrets({ secrets }, nowMs + overlapMs)).toEqual([`secret ${index}`]);
      }
    }),
    { numRuns: propertyRuns(500) },
  );
});
