import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import {
  accountsInTurn,
  type Capacity,
  mayStartScan,
  pagesLeft,
  shareOfScans,
  type TurnRules,
} from '../domain/scan-turns.ts';
import type { ClaimedScan, RunningScan, ScanStore } from '../storage/scan-store.ts';

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
  readonly running: number;
  /** Resolves when every scan of this replica has ended or was given up. */
  idle(): Promise<void>;
}

export function scheduleScans(dependencies: SchedulerDependencies): ScanScheduler {
  const { scans, rules, clock } = dependencies;
  const own = new Map<string, Promise<void>>();

  function start(scan: ClaimedScan): void {
    const { id } = scan.refresh;
    own.set(
      id,
      dependencies.run(scan).finally(() => own.delete(id)),
    );
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
      dependencies.logger.info({ refresh_id: id, epoch: scan.epoch }, 'scan taken over');
      start(scan);
      took = true;
    }
    return took;
  }

  /** One scan for each account in turn, again and again while there is room. */
  async function startQueued(running: readonly RunningScan[]): Promise<boolean> {
    const accounts = await scans.waitingAccounts(running);
    const waiting = new Set(accounts.map(({ accountId }) => accountId));
    const others = running.filter((scan) => !waiting.has(scan.accountId)).length;
    const share = shareOfScans(accounts, others, dependencies.replicas(), rules);
    const pages = running.map((scan) => pagesLeft(scan, rules.assetsPerPage));
    let pagesRunning = pages.reduce((sum, left) => sum + left, 0);
    let started = false;
    for (const { accountId } of accountsInTurn(accounts, rules, clock.now())) {
      if (own.size >= share || !mayStartScan(pagesRunning, rules.capacity)) break;
      const scan = await scans.claimNext(accountId);
      if (!scan) continue;
      start(scan);
      pagesRunning += 1;
      started = true;
    }
    return started;
  }

  return {
    async round() {
      const running = await scans.running();
      const took = await takeOverExpired(running);
      const started = await startQueued(running);
      return took || started;
    },
    get running() {
      return own.size;
    },
    async idle() {
      await Promise.all(own.values());
    },
  };
}
