import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  advance,
  type Effect,
  type Fact,
  type RestartPolicy,
  type Supervision,
  unsupervised,
} from './supervision.ts';

const policy: RestartPolicy = { firstMs: 500, maxMs: 15_000, steadyMs: 30_000 };

/** Applies the facts in order; the effects of all of them. */
function run(facts: readonly Fact[], from: Supervision = unsupervised) {
  let state = from;
  const effects: Effect[] = [];
  for (const fact of facts) {
    const step = advance(state, fact, policy);
    state = step.next;
    effects.push(...step.effects);
  }
  return { state, effects };
}

const start: Fact = { kind: 'start-wanted' };
const restart: Fact = { kind: 'restart-wanted' };
const pauseOver: Fact = { kind: 'pause-over' };
const ended = (atMs = 0): Fact => ({ kind: 'ended', atMs });
const answered = (atMs = 0): Fact => ({ kind: 'answered', atMs });

test('the pause doubles with each end in a row, up to its maximum', () => {
  const facts = Array.from({ length: 8 }, () => [ended(), pauseOver]).flat();
  const { effects } = run([start, ...facts]);

  const delays = effects.flatMap((effect) => (effect.kind === 'pause' ? [effect.delayMs] : []));
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test('a process that answered for long begins with the shortest pause again', () => {
  const crashed = [ended(), pauseOver, ended(), pauseOver, answered(1_000)];

  expect(run([start, ...crashed, ended(30_999)]).state).toEqual({ phase: 'waiting', failures: 3 });
  expect(run([start, ...crashed, ended(31_000)]).state).toEqual({ phase: 'waiting', failures: 1 });
});

const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  fc.constant(start),
  fc.constant(restart),
  fc.boolean().map((abruptly): Fact => ({ kind: 'stop-wanted', abruptly })),
  fc.nat(100_000).map(answered),
  fc.nat(100_000).map(ended),
  fc.constant(pauseOver),
);

function fail(told: unknown): never {
  throw new Error(`the state does not say what is: ${JSON.stringify(told)}`);
}

test('whatever happens, two runs of one process never exist side by side', () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 60 }), (facts) => {
      let state = unsupervised;
      let running = false;
      let pausing = false;
      for (const fact of facts) {
        // Only what exists can end, answer, or be over.
        if ((fact.kind === 'ended' || fact.kind === 'answered') && !running) continue;
        if (fact.kind === 'pause-over' && !pausing) continue;
        if (fact.kind === 'ended') running = false;
        if (fact.kind === 'pause-over') pausing = false;
        const step = advance(state, fact, policy);
        for (const effect of step.effects) {
          if (effect.kind === 'launch') {
            if (running) throw new Error('a second run was launched');
            running = true;
          }
          if (effect.kind === 'end' && !running) throw new Error('nothing was there to end');
          if (effect.kind === 'pause') pausing = true;
          if (effect.kind === 'cancel-pause') pausing = false;
        }
        state = step.next;
        const told = { running, pausing, phase: state.phase };
        if (running !== ['starting', 'up', 'stopping'].includes(state.phase)) fail(told);
        if (pausing !== (state.phase === 'waiting')) fail(told);
      }
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test('a process that is wanted comes back from every state', () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 40 }), (facts) => {
      const { state } = run([...facts, start]);
      const end = state.phase === 'stopping' ? run([ended()], state).state : state;

      if (end.phase !== 'starting' && end.phase !== 'up') fail(end);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
