import { type Backoff, backoffDelayMs } from '@inventory/runtime/backoff';

/** Where one supervised process stands. `failures` counts its ends in a row that nobody wanted. */
export type Supervision =
  | { readonly phase: 'down' }
  | { readonly phase: 'starting'; readonly failures: number }
  | { readonly phase: 'up'; readonly failures: number; readonly sinceMs: number }
  | { readonly phase: 'waiting'; readonly failures: number }
  | { readonly phase: 'stopping'; readonly next: 'down' | 'start' };

/** What happened, or what is wanted. */
export type Fact =
  | { readonly kind: 'start-wanted' }
  | { readonly kind: 'stop-wanted'; readonly abruptly: boolean }
  | { readonly kind: 'restart-wanted' }
  | { readonly kind: 'answered'; readonly atMs: number }
  | { readonly kind: 'ended'; readonly atMs: number }
  | { readonly kind: 'pause-over' };

/** What is to be done about it. */
export type Effect =
  | { readonly kind: 'launch' }
  | { readonly kind: 'end'; readonly abruptly: boolean }
  | { readonly kind: 'pause'; readonly delayMs: number }
  | { readonly kind: 'cancel-pause' };

export interface Step {
  readonly next: Supervision;
  readonly effects: readonly Effect[];
}

export interface RestartPolicy extends Backoff {
  /** A process that answered for this long counts as recovered: its next end is a first one. */
  readonly steadyMs: number;
}

export const restartPolicy: RestartPolicy = { firstMs: 500, maxMs: 15_000, steadyMs: 30_000 };

export const unsupervised: Supervision = { phase: 'down' };

/** A fact that means nothing in the present phase changes nothing. */
export function advance(state: Supervision, fact: Fact, policy: RestartPolicy): Step {
  switch (state.phase) {
    case 'down':
      return whileDown(state, fact);
    case 'starting':
    case 'up':
      return whileRunning(state, fact, policy);
    case 'waiting':
      return whileWaiting(state, fact);
    case 'stopping':
      return whileStopping(state, fact);
  }
}

function whileDown(state: Supervision, fact: Fact): Step {
  if (fact.kind === 'start-wanted' || fact.kind === 'restart-wanted') return launched(0);
  return { next: state, effects: [] };
}

function whileRunning(
  state: Extract<Supervision, { phase: 'starting' | 'up' }>,
  fact: Fact,
  policy: RestartPolicy,
): Step {
  switch (fact.kind) {
    case 'answered':
      if (state.phase === 'up') break;
      return { next: { phase: 'up', failures: state.failures, sinceMs: fact.atMs }, effects: [] };
    case 'ended': {
      const steady = state.phase === 'up' && fact.atMs - state.sinceMs >= policy.steadyMs;
      const failures = (steady ? 0 : state.failures) + 1;
      const delayMs = backoffDelayMs(policy, failures, 1);
      return { next: { phase: 'waiting', failures }, effects: [{ kind: 'pause', delayMs }] };
    }
    case 'stop-wanted':
      return {
        next: { phase: 'stopping', next: 'down' },
        effects: [{ kind: 'end', abruptly: fact.abruptly }],
      };
    case 'restart-wanted':
      return {
        next: { phase: 'stopping', next: 'start' },
        effects: [{ kind: 'end', abruptly: false }],
      };
  }
  return { next: state, effects: [] };
}

function whileWaiting(state: Extract<Supervision, { phase: 'waiting' }>, fact: Fact): Step {
  const cancelPause: Effect = { kind: 'cancel-pause' };
  switch (fact.kind) {
    case 'pause-over':
      return launched(state.failures);
    case 'start-wanted':
    case 'restart-wanted': {
      const { next, effects } = launched(state.failures);
      return { next, effects: [cancelPause, ...effects] };
    }
    case 'stop-wanted':
      return { next: { phase: 'down' }, effects: [cancelPause] };
  }
  return { next: state, effects: [] };
}

function whileStopping(state: Extract<Supervision, { phase: 'stopping' }>, fact: Fact): Step {
  switch (fact.kind) {
    case 'ended':
      return state.next === 'start' ? launched(0) : { next: { phase: 'down' }, effects: [] };
    case 'start-wanted':
    case 'restart-wanted':
      return { next: { phase: 'stopping', next: 'start' }, effects: [] };
    case 'stop-wanted': {
      const effects: Effect[] = fact.abruptly ? [{ kind: 'end', abruptly: true }] : [];
      return { next: { phase: 'stopping', next: 'down' }, effects };
    }
  }
  return { next: state, effects: [] };
}

function launched(failures: number): Step {
  return { next: { phase: 'starting', failures }, effects: [{ kind: 'launch' }] };
}
