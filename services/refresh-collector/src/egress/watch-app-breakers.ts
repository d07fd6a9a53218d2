import type { AccountId } from '@inventory/contracts/ids';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { PlatformResponse } from '../platform/platform-response.domain.ts';
import {
  type AppOpening,
  breakerState,
  type InventoryResult,
  isOutage,
  isOutageOf,
  nextProbeMs,
  opened,
  type ScanAllowance,
  scanAllowance,
  withResult,
} from './app-breaker.domain.ts';
import type { AppBreakerStore } from './app-breaker-store.ts';

const appsMax = 10_000;

/** One circuit breaker per application: each replica counts, an opening holds for all of them. */
export type AppBreakers = ReturnType<typeof watchAppBreakers>;

export function watchAppBreakers(store: AppBreakerStore, clock: Clock, logger: Logger) {
  const counted = new Map<number, readonly InventoryResult[]>();
  let openings = new Map<number, AppOpening>();
  /** Grows with each change of this replica, which an older read must not overwrite. */
  let changes = 0;
  let firstAccount: string | undefined;
  let isSeveralAccounts = false;

  const openingOf = (appId: number) => openings.get(appId) ?? null;
  const isOpen = (appId: number) => breakerState(openingOf(appId), clock.now()) === 'open';

  function recordAccount(accountId: string): void {
    firstAccount ??= accountId;
    isSeveralAccounts ||= firstAccount !== accountId;
  }

  async function isOutageNow(
    results: readonly InventoryResult[],
    accountId: AccountId,
  ): Promise<boolean> {
    if (isOutage(results)) return true;
    if (isSeveralAccounts || !isOutageOf(results, accountId)) return false;
    return store.isOnlyAccount(accountId);
  }

  async function open(appId: number): Promise<void> {
    const opening = opened(openingOf(appId), clock.now());
    changes += 1;
    openings.set(appId, opening);
    counted.delete(appId);
    logger.warn({ appId, until: opening.openUntilMs }, 'circuit breaker opened');
    await store.saveOpening(appId, opening);
  }

  async function close(appId: number, opening: AppOpening): Promise<void> {
    changes += 1;
    openings.delete(appId);
    logger.info({ appId }, 'circuit breaker closed');
    await store.deleteOpening(appId, opening);
  }

  async function count(scope: InventoryKey, accountId: AccountId, failed: boolean): Promise<void> {
    const { app_id: appId } = scope;
    const result = { scopeKey: inventoryKeyText(scope), accountId, failed, atMs: clock.now() };
    if (counted.size >= appsMax) counted.clear();
    const results = withResult(counted.get(appId) ?? [], result);
    counted.set(appId, results);
    if (!failed || !(await isOutageNow(results, accountId))) return;
    if (!openingOf(appId)) await open(appId);
  }

  return {
    isOpen,
    /** How many scans of the application may hold a lease. */
    scanAllowance: (appId: number): ScanAllowance => scanAllowance(openingOf(appId), clock.now()),
    /** Until when, in milliseconds since the epoch; a time in the past when it is not open. */
    openUntilMs: (appId: number): number => openingOf(appId)?.openUntilMs ?? 0,
    /** Number of open breakers. */
    get openCount(): number {
      return [...openings.keys()].filter(isOpen).length;
    },
    /** Whether a request may be sent now: any while closed, otherwise one that claims the probe. */
    async admits(appId: number): Promise<boolean> {
      const opening = openingOf(appId);
      if (!opening) return true;
      const nowMs = clock.now();
      if (nowMs < opening.probeAtMs) return false;
      openings.set(appId, { ...opening, probeAtMs: nextProbeMs(nowMs) });
      return store.claimProbe(appId, opening, nowMs);
    },
    /** Records that a request is sent; the returned function records its response. */
    trackRequest({ accountId, scope }: { accountId: AccountId; scope: InventoryKey }) {
      const sentUnder = openingOf(scope.app_id);
      recordAccount(accountId);
      return async (response: PlatformResponse): Promise<void> => {
        const failed = appSignal(response);
        if (failed === null) return;
        const { app_id: appId } = scope;
        const opening = openingOf(appId);
        if (!opening) return count(scope, accountId, failed);
        // Sent before the breaker opened: not a probe.
        if (sentUnder?.openedAtMs !== opening.openedAtMs) return;
        if (!failed) await close(appId, opening);
        else if (!isOpen(appId)) await open(appId);
      };
    },
    /** Reads the openings of all replicas; repeated every second while this one is used. */
    async update(): Promise<void> {
      const before = changes;
      const stored = await store.readOpenings(clock.now());
      if (changes === before) openings = stored;
    },
  };
}

/** Whether the application's servers failed; null when the response is no evidence of either. */
function appSignal(response: PlatformResponse): boolean | null {
  switch (response.kind) {
    case 'fault':
      return response.reason === 'connection_failed'
        ? null
        : response.reason !== 'duplicate_request';
    case 'page':
    case 'private':
    case 'not_found':
      return false;
    default:
      return null;
  }
}
