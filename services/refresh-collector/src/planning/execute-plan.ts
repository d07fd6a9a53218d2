import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import type { Backoff } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { ScanBeingSaved } from '../observations/open-observations.ts';
import { applyFact, type FactResult } from '../saga/apply-fact.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type { Fact, ScanStart } from '../saga/refresh-fact.domain.ts';
import { type FailedSteps, setAsideFailures } from './failed-steps.ts';
import type { Planning } from './planning.ts';
import type { ScanPlan } from './scan-plan.domain.ts';
import type { PlannedRefreshes } from './scan-queue.ts';

/** Executes plans and records when each account last had a scan started. */
export interface PlanExecutor {
  /**
   * True when a refresh changed. A step that fails does not stop the others; rejects only where every
   * step fails because MongoDB is unavailable.
   */
  executePlan(plan: ScanPlan, open: PlannedRefreshes, failed: FailedSteps): Promise<boolean>;
  /** Undefined when an account had none for long. */
  lastStartMs(accountId: string): number | undefined;
}

type StartFact = 'scan_started' | 'scan_resumed';

/** One change of one refresh; true when it changed. */
interface PlannedStep {
  readonly id: string;
  readonly take: () => Promise<boolean>;
}
type StepResult =
  | { readonly result: 'changed' | 'unchanged' }
  | { readonly result: 'failed'; readonly id: string; readonly error: unknown };

/** The inventory is leased to another refresh, as a crash leaves it: its start goes to others. */
class LeaseHeld extends Error {
  override name = 'LeaseHeld';
}

const stepsMax = 100;
const accountsMax = 10_000;
const failureBackoff: Backoff = { firstMs: 1_000, maxMs: 300_000 };
/** What a part of the store fails by is over sooner than what one refresh fails by, as a lease is. */
const passingBackoff: Backoff = { firstMs: 1_000, maxMs: 10_000 };

export function createPlanExecutor(planning: Planning): PlanExecutor {
  const { scans, observations, worker, limits } = planning;
  const { saga, inventories } = scans;
  const { clock, logger } = saga;
  const lastStartMs = createRecentlyUsed<string, number>(accountsMax);

  const change = async (id: string, fact: Fact, open: PlannedRefreshes): Promise<boolean> =>
    writtenBy(await apply(saga, id, fact, open)) !== null;

  async function park(id: string, open: PlannedRefreshes): Promise<boolean> {
    const entry = open.get(id);
    if (!entry || !(await change(id, { fact: 'scan_parked' }, open))) return false;
    worker.stopScan(id);
    await inventories.closeLease({ inventory: entry.inventory, refreshId: id });
    return true;
  }

  /**
   * Opens the lease of the inventory, then starts or resumes the scan. A lease that a crash leaves
   * behind is closed by the worker that takes it.
   */
  async function startScan(id: string, kind: StartFact, open: PlannedRefreshes): Promise<boolean> {
    const entry = open.get(id);
    if (!entry) return false;
    const takes = kind === 'scan_started' && entry.takesObservation;
    const observed = takes ? await observations.takeInstead(id) : null;
    if (observed !== null && (await change(id, observed, open))) return true;
    const token = worker.reserveSlot(open.pagesLeft(id));
    const lease = { inventory: entry.inventory, refreshId: id };
    const startMs = clock.now();
    const deadlineMs =
      kind === 'scan_started' ? startMs + limits.collectMs : (entry.collectDeadlineMs ?? startMs);
    let running: Promise<void> | undefined;
    try {
      const sequence = await inventories.openLease({ ...lease, token, deadlineMs });
      if (sequence === null) throw new LeaseHeld(`${entry.inventory} is leased to another refresh`);
      const { expectedPages } = entry;
      const owner = token && scans.replica;
      const start = { atMs: startMs, deadlineMs, sequence, worker: owner, expectedPages };
      const fact = factOf(kind, start);
      const before = saga.refreshes.cachedRefresh(id);
      const starting = apply(saga, id, fact, open);
      if (token !== null) {
        const started = startOf(starting);
        running = worker.startScan(token, { lease, sentMs: startMs, before, fact, started });
      }
      const result = await starting;
      if (writtenBy(result)) {
        if (kind === 'scan_started') lastStartMs.set(entry.accountId, clock.now());
        return true;
      }
      if (result?.refresh.phase !== 'collecting') await inventories.closeLease(lease);
      // Another replica started it meanwhile: the lease belongs to that scan.
      else if (token !== null) await inventories.releaseLease({ ...lease, token });
      return false;
    } finally {
      if (token !== null) await (running ?? worker.startScan(token, null));
    }
  }

  /** Those that are due now. However many refreshes end at once, scans start beside them. */
  function stepsOf(plan: ScanPlan, open: PlannedRefreshes, failed: FailedSteps): PlannedStep[] {
    const stepOf = (take: (id: string) => Promise<boolean>) => (id: string) => ({
      id,
      take: () => take(id),
    });
    const ends = [
      ...plan.park.map(stepOf((id) => park(id, open))),
      ...plan.overdue.map(stepOf((id) => change(id, overdueFact(open.get(id)?.phase), open))),
      ...plan.end.map(stepOf((id) => change(id, { fact: 'deadline_unreachable' }, open))),
    ];
    const starts = [
      ...plan.resume.map(stepOf((id) => startScan(id, 'scan_resumed', open))),
      ...plan.start.map(stepOf((id) => startScan(id, 'scan_started', open))),
    ];
    return [ends, starts].flatMap((steps) =>
      steps.filter(({ id }) => failed.isDue(id)).slice(0, stepsMax),
    );
  }

  return {
    async executePlan(plan, open, failed) {
      failed.keepOnly((id) => open.get(id) !== undefined);
      const results = await Promise.all(
        stepsOf(plan, open, failed).map((step) => attempt(step, failed)),
      );
      postponeFailed(results, failed, logger);
      return results.some(({ result }) => result === 'changed');
    },
    lastStartMs: (accountId) => lastStartMs.peek(accountId),
  };
}

async function apply(
  saga: Saga,
  id: string,
  fact: Fact,
  open: PlannedRefreshes,
): Promise<FactResult | null> {
  const result = await applyFact(saga, id, fact, 'resend');
  if (result) open.put(result.refresh);
  else open.remove(id);
  return result ?? null;
}

/** Its failure is that of the step. */
function startOf(starting: Promise<FactResult | null>): Promise<Refresh | null> {
  const started = starting.then(writtenBy);
  started.catch(() => {});
  return started;
}

function writtenBy(result: FactResult | null): Refresh | null {
  return result?.step === 'changed' ? result.refresh : null;
}

function factOf(kind: StartFact, start: ScanStart): Fact {
  return kind === 'scan_resumed' ? { fact: kind } : { fact: kind, ...start };
}

async function attempt({ id, take }: PlannedStep, failed: FailedSteps): Promise<StepResult> {
  try {
    if (!(await take())) return { result: 'unchanged' };
    failed.recordSuccess(id);
    return { result: 'changed' };
  } catch (error) {
    return { result: 'failed', id, error };
  }
}

/** Throws where every step fails because MongoDB is unavailable. */
function postponeFailed(results: readonly StepResult[], failed: FailedSteps, logger: Logger): void {
  const failures = results.filter((one) => one.result === 'failed');
  const [first] = failures;
  const isEach = failures.length === results.length;
  if (first && isEach && failures.every(({ error }) => isMongoUnavailable(error))) {
    throw first.error;
  }
  for (const { id, error } of failures) postpone(id, error, failed, logger);
}

function postpone(id: string, error: unknown, failed: FailedSteps, logger: Logger): void {
  const waits = error instanceof ScanBeingSaved;
  const isPassing = waits || isMongoUnavailable(error) || error instanceof LeaseHeld;
  const backoff = isPassing ? passingBackoff : failureBackoff;
  const { failures, pauseMs } = failed.recordFailure(id, backoff);
  if (waits) return;
  const level = failures < setAsideFailures ? 'warn' : 'error';
  const details = { err: error, refresh_id: id, failures, retry_in_ms: pauseMs };
  logger[level](details, 'planned step failed');
}

function overdueFact(phase: Refresh['phase'] | undefined): Fact {
  return phase === 'collecting'
    ? { fact: 'collect_deadline_passed' }
    : { fact: 'queue_deadline_passed' };
}
