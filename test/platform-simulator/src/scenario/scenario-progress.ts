import { setBounded } from '../bounded-map.ts';
import type { Failure, Stage } from '../platform/failures.ts';
import { stageOf } from '../platform/failures.ts';
import type { ScenarioDefinition, ScenarioFault } from './scenario-definition.ts';

/** How far the plan of one scenario inventory is. */
export type ScenarioProgress = {
  /** Failures given in a row, by the fault's index in the plan. */
  readonly given: Map<number, number>;
  /** By identity: its last request, while it has to be silent. */
  readonly silentSinceMs: Map<string, number>;
  stayed: Failure | undefined;
  lastRequestMs: number;
  /** First pages delivered so far. */
  scans: number;
};

/** A fault that stays is over when the account was left alone for this long. */
const staysForMs = 60_000;
const identitiesMax = 1_000;

export function newProgress(): ScenarioProgress {
  return {
    given: new Map(),
    silentSinceMs: new Map(),
    stayed: undefined,
    lastRequestMs: Number.NEGATIVE_INFINITY,
    scans: 0,
  };
}

/** Notes a request of the account, whatever becomes of it. */
export function noteRequest(progress: ScenarioProgress, nowMs: number): void {
  if (nowMs - progress.lastRequestMs >= staysForMs) {
    progress.stayed = undefined;
  }
  progress.lastRequestMs = nowMs;
}

/** The failure a scenario's plan has for a request that came as far as this stage; moves the plan. */
export function takeScenarioFailure(
  definition: ScenarioDefinition,
  progress: ScenarioProgress,
  at: {
    readonly stage: Stage;
    readonly pageNumber: number;
    readonly identity: string;
    readonly nowMs: number;
    readonly blockMs: number;
  },
): Failure | undefined {
  if (progress.stayed !== undefined && stageOf(progress.stayed) === at.stage) {
    return progress.stayed;
  }
  for (const [index, fault] of (definition.faults ?? []).entries()) {
    const strikes =
      stageOf(fault.failure) === at.stage &&
      (fault.page === undefined || fault.page === at.pageNumber) &&
      (fault.until === 'silence' ? mustBeSilent(progress, at) : isDue(progress, index, fault));
    if (strikes) {
      progress.stayed = fault.stays ? fault.failure : progress.stayed;
      return fault.failure;
    }
  }
  return undefined;
}

function isDue(progress: ScenarioProgress, index: number, fault: ScenarioFault): boolean {
  if (typeof fault.until !== 'number') {
    return true;
  }
  const given = progress.given.get(index) ?? 0;
  const due = given < fault.until;
  progress.given.set(index, due ? given + 1 : 0);
  return due;
}

function mustBeSilent(
  progress: ScenarioProgress,
  at: { readonly identity: string; readonly nowMs: number; readonly blockMs: number },
): boolean {
  const sinceMs = progress.silentSinceMs.get(at.identity);
  if (sinceMs !== undefined && at.nowMs - sinceMs >= at.blockMs) {
    progress.silentSinceMs.delete(at.identity);
    return false;
  }
  setBounded(progress.silentSinceMs, at.identity, at.nowMs, identitiesMax);
  return true;
}
