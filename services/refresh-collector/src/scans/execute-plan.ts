import type { Clock } from '@inventory/runtime/clock';
import { LRUCache } from 'lru-cache';
import { applyFact, type FactResult, type SagaDeps } from '../refreshes/apply-fact.ts';
import type { InventoryStore } from '../refreshes/inventory-store.ts';
import type { Fact } from '../refreshes/refresh-saga.domain.ts';
import type { ScanPlan } from './scan-plan.domain.ts';
import type { ScanQueue } from './scan-queue.ts';
import { type PlannedRefresh, plannedOf } from './scan-store.ts';
import type { ScanWorker } from './scan-worker.ts';

export interface PlanExecutorDeps {
  readonly saga: SagaDeps;
  readonly inventories: InventoryStore;
  readonly worker: Pick<ScanWorker, 'replica' | 'reserveSlot' | 'startScan' | 'stopScan'>;
  /** The deadline that a scan gets when it starts. */
  readonly collectMs: number;
  readonly clock: Clock;
}

/** Executes plans and records when each account last had a scan started. */
export interface PlanExecutor {
  /** True when a refresh changed. */
  executePlan(plan: ScanPlan, open: ScanQueue): Promise<boolean>;
  /** Undefined when an account had none for long. */
  lastStartMs(accountId: string): number | undefined;
}

type StartFact = 'scan_started' | 'scan_resumed';

const actionsMax = 100;
const accountsMax = 10_000;

export function createPlanExecutor(deps: PlanExecutorDeps): PlanExecutor {
  const { inventories, worker, clock } = deps;
  const lastStartMs = new LRUCache<string, number>({ max: accountsMax });

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
    worker.stopScan(id);
    await inventories.closeLease({ inventory: entry.inventory, refreshId: id });
    return true;
  }

  /**
   * Opens the lease of the inventory, then starts or resumes the scan. A lease that a crash leaves
   * behind is closed by the worker that takes it.
   */
  async function startScan(id: string, kind: StartFact, open: ScanQueue): Promise<boolean> {
    const entry = open.get(id);
    if (!entry) return false;
    const token = worker.reserveSlot();
    const lease = { inventory: entry.inventory, refreshId: id };
    let epoch: number | null = null;
    try {
      const sequence = await inventories.openLease({ ...lease, token });
      if (sequence === null) return false;
      const replica = token === null ? null : worker.replica;
      const result = await apply(id, factOf(kind, sequence, replica, entry), open);
      if (result?.step === 'changed') epoch = result.refresh.scan?.epoch ?? null;
      else if (result?.refresh.phase !== 'collecting') await inventories.closeLease(lease);
      // Another replica started it meanwhile: the lease belongs to that scan.
      else if (token !== null) await inventories.releaseLease({ ...lease, token });
    } finally {
      if (token !== null) await worker.startScan(token, epoch === null ? null : { lease, epoch });
    }
    if (epoch !== null && kind === 'scan_started') recordStart(entry.accountId);
    return epoch !== null;
  }

  function factOf(
    kind: StartFact,
    sequence: number,
    replica: string | null,
    { expectedPages }: PlannedRefresh,
  ): Fact {
    if (kind === 'scan_resumed') return { fact: kind };
    const atMs = clock.now();
    const deadlineMs = atMs + deps.collectMs;
    return { fact: kind, atMs, deadlineMs, sequence, worker: replica, expectedPages };
  }

  function recordStart(accountId: string): void {
    lastStartMs.set(accountId, clock.now());
  }

  return {
    async executePlan(plan, open) {
      const actions = [
        ...plan.park.map((id) => () => park(id, open)),
        ...plan.overdue.map((id) => () => change(id, overdueFact(open.get(id)), open)),
        ...plan.end.map((id) => () => change(id, { fact: 'deadline_unreachable' }, open)),
        ...plan.resume.map((id) => () => startScan(id, 'scan_resumed', open)),
        ...plan.start.map((id) => () => startScan(id, 'scan_started', open)),
      ].slice(0, actionsMax);
      return (await Promise.all(actions.map((act) => act()))).some(Boolean);
    },
    lastStartMs: (accountId) => lastStartMs.peek(accountId),
  };
}

function overdueFact(entry: PlannedRefresh | undefined): Fact {
  return entry?.phase === 'collecting'
    ? { fact: 'collect_deadline_passed' }
    : { fact: 'queue_deadline_passed' };
}
