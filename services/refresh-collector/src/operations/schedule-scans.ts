import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import {
  accountsInTurn,
  type Capacity,
  mayStartScan,
  pagesLeft,
  shareOfScans,
  type TurnRules,
  type WaitingAccount,
} from '../domain/scan-turns.ts';
import type { ClaimedScan, RunningScan, ScanStore } from '../storage/scan-store.ts';
import type { StoredRefresh } from '../storage/stored-refresh.ts';
import { createQueueCensus } from './queue-census.ts';
import { createScanTurns } from './scan-turns.ts';

export interface SchedulerRules extends TurnRules {
  /** Most scans this replica runs at once. */
  readonly scansMax: number;
  readonly assetsPerPage: number;
  readonly capacity: Capacity;
}

export interface SchedulerDependencies {
  readonly scans: ScanStore;
  /** How many replicas of the service live. */
  readonly replicas: () => number;
  /** Reads a scan to its end; never rejects. */
  readonly run: (scan: ClaimedScan) => Promise<void>;
  readonly rules: SchedulerRules;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ScanScheduler {
  /** Starts what may start now; true when something was started. */
  round(): Promise<boolean>;
  /**
   * Starts a refresh that was just queued, where nobody waits before it. False when a round should
   * look at it at once; behind others it waits for the round that comes anyway, or each arrival
   * would have everybody who waits counted anew.
   */
  offer(queued: StoredRefresh): Promise<boolean>;
  readonly running: number;
  /** Resolves when every scan of this replica has ended or was given up. */
  idle(): Promise<void>;
}

/** Rounds come with every scan that ends; who waits is counted this often. */
const censusAgeMaxMs = 1_000;

export function scheduleScans(dependencies: SchedulerDependencies): ScanScheduler {
  const { scans, rules, clock } = dependencies;
  const own = new Map<string, { readonly accountId: string; readonly ended: Promise<void> }>();
  const turns = createScanTurns(clock);
  const census = createQueueCensus(scans, clock, censusAgeMaxMs);
  /** Whether the last round left somebody waiting: then nobody may go before them. */
  let backlog = true;
  let starting = 0;

  function start(scan: ClaimedScan): void {
    const { id, accountId } = scan.refresh;
    turns.note(accountId);
    own.set(id, { accountId, ended: dependencies.run(scan).finally(() => own.delete(id)) });
  }

  /** A worker that died leaves its lease to expire; whoever has room goes on from its last page. */
  async function takeOverExpired(running: readonly RunningScan[]): Promise<boolean> {
    const now = clock.now();
    const expired = running.filter((scan) => scan.leaseUntilMs <= now && !own.has(scan.id));
    let took = false;
    for (const { id } of expired) {
      if (own.size >= rules.scansMax) break;
      const scan = await scans.takeOver(id);
      if (!scan) continue;
      await inSpan({ name: 'take over scan', parent: scan.trace }, async () =>
        dependencies.logger.info({ refresh_id: id, epoch: scan.epoch }, 'scan taken over'),
      );
      start(scan);
      took = true;
    }
    return took;
  }

  /** One scan for each account in turn; how many were started. */
  async function startQueued(
    accounts: readonly WaitingAccount[],
    running: readonly RunningScan[],
  ): Promise<number> {
    const waiting = new Set(accounts.map(({ accountId }) => accountId));
    const others = running.filter((scan) => !waiting.has(scan.accountId)).length;
    const share = shareOfScans(accounts, others, dependencies.replicas(), rules);
    const pages = running.map((scan) => pagesLeft(scan, rules.assetsPerPage));
    let pagesRunning = pages.reduce((sum, left) => sum + left, 0);
    let started = 0;
    for (const { accountId } of accountsInTurn(accounts, rules, clock.now())) {
      if (own.size >= share || !mayStartScan(pagesRunning, rules.capacity)) break;
      const scan = await census.claimNext(accountId);
      if (!scan) continue;
      start(scan);
      pagesRunning += 1;
      started += 1;
    }
    return started;
  }

  /** Alone, a replica takes what comes; among others it leaves what it did not count to rounds. */
  function hasRoomFor(accountId: string): boolean {
    const ofAccount = [...own.values()].filter((scan) => scan.accountId === accountId).length;
    const roomMax = dependencies.replicas() === 1 ? rules.scansMax : 1;
    return own.size + starting < roomMax && ofAccount + starting < rules.scansPerAccountMax;
  }

  async function claimIfRoom(queued: StoredRefresh): Promise<ClaimedScan | null> {
    if (!hasRoomFor(queued.refresh.accountId)) return null;
    starting += 1;
    try {
      return await scans.claim(queued);
    } finally {
      starting -= 1;
    }
  }

  return {
    async round() {
      const running = await scans.running();
      const took = await takeOverExpired(running);
      const queued = await census.accounts();
      const started = await startQueued(turns.of(queued, running), running);
      backlog = census.waiting > 0;
      return took || started > 0;
    },
    async offer(queued) {
      const scan = backlog ? null : await claimIfRoom(queued);
      if (scan) start(scan);
      else census.arrived(queued);
      return scan !== null || backlog;
    },
    get running() {
      return own.size;
    },
    async idle() {
      await Promise.all([...own.values()].map(({ ended }) => ended));
    },
  };
}
