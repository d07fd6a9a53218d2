import { isDeepStrictEqual } from 'node:util';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import {
  type Move,
  realRules,
  type SagaRules,
  SagaWorld,
  settlementOf,
  type World,
} from '../../test/saga-world.ts';
import { deadlineOf, isTerminal, type Refresh, refreshPhases } from './refresh.domain.ts';
import { advance, outcomeOfDeadline, pendingEffects, type Step } from './refresh-saga.domain.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 8, numRuns: 10_000, endOnFailure: true };

const world: fc.Arbitrary<World> = fc.record({
  funded: fc.boolean(),
  store: fc.constantFrom('works', 'works', 'loses_manifests', 'stuck'),
});

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      move: fc.constant('deliver' as const),
      index: fc.nat(9),
      keep: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ move: fc.constant('lose' as const), index: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.constant({ move: 'ask_again' } as const) },
  { weight: 1, arbitrary: fc.constant({ move: 'cancel' } as const) },
  { weight: 1, arbitrary: fc.constant({ move: 'restore_ledger' } as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { move: 'queue_deadline' } as const,
      { move: 'collect_deadline' } as const,
      { move: 'observed' } as const,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom({ move: 'start_scan' } as const, { move: 'page' } as const),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      { move: 'worker_dies' } as const,
      { move: 'park' } as const,
      { move: 'resume' } as const,
    ),
  },
  { weight: 1, arbitrary: fc.constant({ move: 'unreachable' } as const) },
  { weight: 3, arbitrary: fc.constant({ move: 'assemble' } as const) },
  { weight: 1, arbitrary: fc.constant({ move: 'assembly_deadline' } as const) },
  {
    weight: 4,
    arbitrary: fc.record({
      move: fc.constantFrom('scan_completes' as const, 'scan_fails' as const),
      staleWorker: fc.boolean(),
    }),
  },
);

/** Plays any history, lets the faults stop, and states what must then hold. */
function checkSaga(rules: SagaRules, options: fc.Parameters<unknown>): void {
  fc.assert(
    fc.property(world, fc.array(move, { minLength: 5, maxLength: 50 }), (of, moves) => {
      const played = new SagaWorld(of, rules);
      let before = played.refresh;
      for (const next of moves) {
        played.play(next);
        expectLawfulStep(before, played.refresh);
        before = played.refresh;
      }
      played.settleDown();
      expectSettled(played, of.funded);
    }),
    options,
  );
}

/** Without `expect`, which would take most of the time of a history. */
function expectLawfulStep(before: Refresh, after: Refresh): void {
  const isLawful =
    (!isTerminal(before.phase) || after.phase === before.phase) &&
    after.version >= before.version &&
    (!before.scan || after.scan?.sequence === before.scan.sequence) &&
    (before.phase !== 'completed' || isDeepStrictEqual(after.billing, before.billing)) &&
    (!before.outcome || after.outcome === before.outcome);
  if (!isLawful) throw new Error(`no lawful step: ${JSON.stringify({ before, after })}`);
}

function expectSettled(world: SagaWorld, funded: boolean): void {
  const { refresh, ledger } = world;
  const isLost = ledger.hold === 'lost';
  expect(refresh.phase).toBe(funded ? 'completed' : 'refused');
  expect(ledger.hold).toBe(funded ? (isLost ? 'lost' : 'resolved') : 'refused');
  expect(ledger.resolutions).toBe(funded && !isLost ? 1 : 0);
  expect(world.events).toBe(funded ? 1 : 0);
  if (!funded) return;
  const { disposition, charged } = settlementOf(isLost ? 'cancelled' : refresh.outcome);
  expect(refresh.billing).toEqual({
    state: 'finalized',
    disposition,
    asset: 'credits',
    reserved: 125,
    charged,
    released: 125 - charged,
  });
  const complete = refresh.outcome === 'complete_changed';
  // What the revision-store decided alone decides the settlement.
  if (world.store === 'committed') expect(complete).toBe(true);
  if (complete) expect(refresh.revisionId).not.toBeNull();
  else expect(refresh.revisionId).toBeNull();
}

const withAdvance = (
  change: (refresh: Refresh, fact: Parameters<typeof advance>[1], step: Step) => Step,
): SagaRules => ({
  ...realRules,
  advance: (refresh, fact) => change(refresh, fact, advance(refresh, fact)),
});

/** Faults that a hurried change could make; the property must see each. */
const plantedFaults: Readonly<Record<string, SagaRules>> = {
  'a cancel overrides the revision-store': withAdvance((refresh, fact, step) =>
    refresh.phase === 'assembling' && fact.fact === 'cancel_requested'
      ? {
          step: 'changed',
          next: { ...refresh, phase: 'settling', outcome: 'cancelled' },
          send: ['abandon_scan', 'settle'],
        }
      : step,
  ),
  'a lost settlement is not resent': {
    ...realRules,
    pendingEffects: (refresh, isOverdue) =>
      refresh.phase === 'settling' ? [] : pendingEffects(refresh, isOverdue),
  },
  'a settlement without a hold is ignored': withAdvance((_refresh, fact, step) =>
    fact.fact === 'hold_lost' ? { step: 'ignored' } : step,
  ),
  'an assembly past its deadline is not abandoned': {
    ...realRules,
    pendingEffects: (refresh) => pendingEffects(refresh, false),
  },
  'a repeated settlement reopens a completed refresh': withAdvance((refresh, fact, step) =>
    refresh.phase === 'completed' && fact.fact === 'settled'
      ? { step: 'changed', next: { ...refresh, phase: 'settling' }, send: ['settle'] }
      : step,
  ),
};

describe('refresh saga', () => {
  it('ends with one settlement and one event whatever is lost, repeated or reordered (Refresh: outcomes and settlement) [settlement-by-outcome, states-and-outcomes]', () => {
    checkSaga(realRules, { numRuns: propertyRuns(1_500) });
  });

  it.each(Object.keys(plantedFaults))('is seen to break when %s [states-and-outcomes]', (name) => {
    const rules = plantedFaults[name];
    expect(() => rules && checkSaga(rules, faultRuns)).toThrow();
  });

  it('releases a hold that a refused attempt got after all (Settlement: a rejected admission keeps nothing) [a-rejected-admission, states-and-outcomes]', () => {
    const refused = acceptedRefresh({
      phase: 'refused',
      refusal: { code: 'insufficient_credits', detail: { required: 125, available: 0 } },
    });
    const reservation = { priceVersion: 1, asset: 'credits', amount: 125, available: 0 } as const;
    expect(advance(refused, { fact: 'reserved', reservation })).toEqual({
      step: 'repeated',
      send: ['release'],
    });
  });

  it('gives the Idempotency-Key back when the reservation is refused (Idempotency-Key: 402 leaves the key free) [states-and-outcomes]', () => {
    const step = advance(acceptedRefresh({ idempotencyKey: 'key-1' }), {
      fact: 'reserve_refused',
      refusal: { code: 'insufficient_credits', detail: { required: 125, available: 10 } },
    });
    expect(step).toMatchObject({
      step: 'changed',
      next: { phase: 'refused', idempotencyKey: null },
    });
  });

  it.each([
    [0, 'upstream_unavailable'],
    [1, 'incomplete'],
  ] as const)(
    'calls a scan with %i pages at its deadline %s (Refresh: Deadlines) [deadlines]',
    (pages, outcome) => {
      const scan = {
        epoch: 1,
        sequence: 1,
        startedAtMs: 0,
        completedAtMs: null,
        pages,
        assetsRead: 0,
        reportedTotalCount: null,
        endCheck: { cursor: null, attempts: 0 },
        parked: false,
        worker: null,
      };
      expect(outcomeOfDeadline(acceptedRefresh({ scan }))).toBe(outcome);
    },
  );

  it.each([
    ['invalid_pages', false, 'incomplete'],
    ['invalid_pages', true, 'incomplete'],
    ['missing_pages', false, 'internal_failure'],
    ['abandoned', false, 'internal_failure'],
    ['abandoned', true, 'cancelled'],
  ] as const)(
    'calls a scan that the store rejects as %s (cancelled: %s) %s (Settlement by outcome) [only-complete-scans]',
    (reason, cancelRequested, outcome) => {
      const assembling = acceptedRefresh({ phase: 'assembling', cancelRequested });

      expect(advance(assembling, { fact: 'rejected', reason })).toMatchObject({
        next: { phase: 'settling', outcome },
      });
    },
  );

  it.each([
    ['accepted', { phase: 'accepted', expectedPages: null }],
    ['queued', { phase: 'queued', expectedPages: null }],
    ['collecting', { phase: 'settling', outcome: 'incomplete' }],
    ['assembling', null],
    ['settling', null],
    ['completed', null],
  ] as const)(
    'leaves nothing of an erased inventory to a refresh that is %s (Operator: erase) [erase]',
    (phase, next) => {
      const step = advance(acceptedRefresh({ phase, expectedPages: 7 }), {
        fact: 'inventory_erased',
      });

      expect(step).toMatchObject(next ? { step: 'changed', next } : { step: 'ignored' });
    },
  );

  it('shows when each phase ends at the latest, a grace after collecting once it settles (Refresh: Deadlines, deadline_at) [deadlines]', () => {
    const [queueDeadlineMs, collectDeadlineMs, graceMs] = [1_000, 5_000, 200];
    const started = refreshPhases.map((phase) => [
      phase,
      deadlineOf(acceptedRefresh({ phase, queueDeadlineMs, collectDeadlineMs }), graceMs),
    ]);
    expect(Object.fromEntries(started)).toMatchObject({
      refused: null,
      collecting: 5_000,
      assembling: 5_200,
      settling: 5_200,
      completed: null,
    });
    const deadlineIn = (phase: Refresh['phase']) =>
      deadlineOf(acceptedRefresh({ phase, queueDeadlineMs, collectDeadlineMs: null }), graceMs);
    expect(deadlineIn('accepted')).toBe(1_000);
    expect(deadlineIn('queued')).toBe(1_000);
    expect(deadlineIn('settling')).toBe(1_200);
  });
});
