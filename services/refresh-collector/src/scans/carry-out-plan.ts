import type { Clock } from '@inventory/runtime/clock';
import { applyFact, type FactResult, type SagaDeps } from '../refreshes/apply-fact.ts';
import type { InventoryStore } from '../refreshes/inventory-store.ts';
import type { Fact } from '../refreshes/refresh-saga.domain.ts';
import type { ScanPlan } from './scan-plan.domain.ts';
import type { ScanQueue } from './scan-queue.ts';
import { type PlannedRefresh, plannedOf } from './scan-store.ts';
import type { ScanWorker } from './scan-worker.ts';

export interface PlanExecutionDeps {
  readonly saga: SagaDeps;
  readonly inventories: InventoryStore;
  readonly worker: Pick<ScanWorker, 'name' | 'token' | 'start' | 'stop'>;
  /** The deadline that a scan gets when it starts. */
  readonly collectMs: number;
  readonly clock: Clock;
}

/** Carries plans out, and remembers which account had its turn when. */
export interface PlanExecution {
  /** True when it changed something. */
  carryOut(plan: ScanPlan, open: ScanQueue): Promise<boolean>;
  readonly lastStartMs: ReadonlyMap<string, number>;
}

type Release = 'scan_started' | 'scan_resumed';

const actionsMax = 100;
const startsRemembered = 10_000;

export function createPlanExecution(deps: PlanExecutionDeps): PlanExecution {
  const { inventories, worker, clock } = deps;
  const lastStartMs = new Map<string, number>();

  async function apply(id: string, fact: Fact, open: ScanQueue): Promise<FactResult | null> {
    const result = await applyFact(deps.saga, id, fact, 'outbox');
    if (result) open.put(plannedOf(result.refresh));
    else open.remove(id);
    return result ?? null;
  }

  async function change(id: string, fact: Fact, open: ScanQueue): Promise<boolean> {
    return (await apply(id, fact, open))?.step === 'changed';
  }

  async function park(id: string, open: ScanQueue): Promise<boolean> {
    const entry = open.get(id);
    if (!entry || !(await change(id, { fact: 'scan_parked' }, open))) return false;
    worker.stop(id);
    await inventories.close({ inventory: entry.inventory, refreshId: id });
    return true;
  }

  /**
   * Opens the lease of the inventory and lets the scan begin or go on. The lease comes first: one
   * that a crash leaves behind is closed by the worker that takes it.
   */
  async function release(id: string, kind: Release, open: ScanQueue): Promise<boolean> {
    const entry = open.get(id);
    if (!entry) return false;
    const token = worker.token();
    const lease = { inventory: entry.inventory, refreshId: id };
    let epoch: number | null = null;
    try {
      if (!(await inventories.open({ ...lease, token }))) return false;
      const result = await apply(id, factOf(kind, token === null ? null : worker.name), open);
      if (result?.step === 'changed') epoch = result.refresh.scan?.epoch ?? null;
      else if (result?.refresh.phase !== 'collecting') await inventories.close(lease);
      // Another replica started it meanwhile: the lease is that scan's, for any worker to take.
      else if (token !== null) await inventories.letGo({ ...lease, token });
    } finally {
      if (token !== null) await worker.start(token, epoch === null ? null : { lease, epoch });
    }
    if (epoch !== null && kind === 'scan_started') noteStart(entry.accountId);
    return epoch !== null;
  }

  function factOf(kind: Release, name: string | null): Fact {
    if (kind === 'scan_resumed') return { fact: kind };
    const atMs = clock.now();
    return { fact: kind, atMs, deadlineMs: atMs + deps.collectMs, worker: name };
  }

  function noteStart(accountId: string): void {
    lastStartMs.delete(accountId);
    lastStartMs.set(accountId, clock.now());
    const [oldest] = lastStartMs.keys();
    if (lastStartMs.size > startsRemembered && oldest !== undefined) lastStartMs.delete(oldest);
  }

  return {
    async carryOut(plan, open) {
      const actions = [
        ...plan.park.map((id) => () => park(id, open)),
        ...plan.overdue.map((id) => () => change(id, overdueFact(open.get(id)), open)),
        ...plan.end.map((id) => () => change(id, { fact: 'deadline_unreachable' }, open)),
        ...plan.resume.map((id) => () => release(id, 'scan_resumed', open)),
        ...plan.start.map((id) => () => release(id, 'scan_started', open)),
      ].slice(0, actionsMax);
      return (await Promise.all(actions.map((act) => act()))).some(Boolean);
    },
    lastStartMs,
  };
}

function overdueFact(entry: PlannedRefresh | undefined): Fact {
  return entry?.phase === 'collecting'
    ? { fact: 'collect_deadline_passed' }
    : { fact: 'queue_deadline_passed' };
}
