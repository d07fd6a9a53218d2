import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  decideRotation,
  type EndpointSecret,
  type SecretRotation,
  signingSecrets,
} from './secret-rotation.domain.ts';

interface Rotated {
  readonly secrets: readonly EndpointSecret[];
  readonly rotations: readonly SecretRotation[];
}

const dayMs = 24 * 3_600_000;
const fresh: Rotated = {
  secrets: [{ secret: 'first', createdAtMs: 0, endsAtMs: null }],
  rotations: [],
};
const plain = { overlapSeconds: 1, force: false };

/** The endpoint after a rotation that is expected to be made. */
function rotate(
  before: Rotated,
  wanted: Parameters<typeof decideRotation>[1],
  made: Parameters<typeof decideRotation>[2],
): Rotated {
  const decision = decideRotation(before, wanted, made);
  if (decision.result !== 'rotated') throw new Error(decision.result);
  return decision;
}

test('during forced rotations the newest secret signs and at most two do (Events: webhooks)', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 3_000 }),
    overlapSeconds: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let nowMs = 0;
      let state = fresh;
      for (const [index, { afterMs, overlapSeconds }] of steps.entries()) {
        nowMs += afterMs;
        const replaced = state.secrets[0]?.secret;
        const wanted = { overlapSeconds, force: true };
        state = rotate(state, wanted, { secret: `secret ${index}`, nowMs });

        const signing = signingSecrets(state.secrets, nowMs);
        expect(signing).toEqual([`secret ${index}`, ...(overlapSeconds > 0 ? [replaced] : [])]);
        expect(state.secrets.length).toBeLessThanOrEqual(2);
        expect(signingSecrets(state.secrets, nowMs + 1_000 * overlapSeconds)).toEqual([
          `secret ${index}`,
        ]);
      }
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('while two secrets sign a further rotation has to be forced, and afterwards not (Events: webhooks)', () => {
  const state = rotate(fresh, plain, { secret: 'second', nowMs: 0 });

  const during = decideRotation(state, plain, { secret: 'third', nowMs: 999 });
  const forced = rotate(state, { ...plain, force: true }, { secret: 'third', nowMs: 999 });
  const after = rotate(state, plain, { secret: 'third', nowMs: 1_000 });

  expect(during).toEqual({ result: 'in_progress', endsAtMs: 1_000 });
  expect(signingSecrets(forced.secrets, 999)).toEqual(['third', 'second']);
  expect(signingSecrets(after.secrets, 1_000)).toEqual(['third', 'second']);
});

test('a key has one secret for a day, also when later ones were created, and other inputs conflict (Events: webhooks) [idempotency-key]', () => {
  const keyed = { ...plain, idempotencyKey: 'k' };
  let state = rotate(fresh, keyed, { secret: 'keyed', nowMs: 0 });
  for (const name of ['a', 'b', 'c']) {
    state = rotate(state, { ...plain, force: true }, { secret: name, nowMs: 10 });
  }
  const again = (wanted: typeof keyed, nowMs: number) =>
    decideRotation(state, wanted, { secret: 'another', nowMs });

  expect(again(keyed, dayMs - 1)).toEqual({ result: 'repeated', secret: 'keyed' });
  expect(again({ ...keyed, overlapSeconds: 0 }, 20).result).toBe('conflict');
  expect(again({ ...keyed, force: true }, 20).result).toBe('conflict');
  expect(again({ ...keyed, idempotencyKey: 'other' }, 20).result).toBe('in_progress');
  expect(again(keyed, dayMs).result).toBe('rotated');
});

test('an endpoint keeps the keys of twenty rotations at most (architecture: everything is bounded)', () => {
  let state = fresh;
  for (let index = 0; index < 30; index += 1) {
    const wanted = { ...plain, idempotencyKey: `k${index}`, force: true };
    state = rotate(state, wanted, { secret: `s${index}`, nowMs: index });
  }

  expect(state.rotations.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
    Array.from({ length: 20 }, (_none, index) => `k${index + 10}`),
  );
});
