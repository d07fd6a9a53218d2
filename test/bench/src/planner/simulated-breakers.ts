import {
  type AppOpening,
  type InventoryResult,
  isOutage,
  nextProbeMs,
  opened,
  type ScanAllowance,
  scanAllowance,
  withResult,
} from '@inventory/refresh-collector/egress/app-breaker.domain';
import type { SimulatedScan } from './simulated-scan.ts';

/** The breakers of the applications, by their real rules. */
export class SimulatedBreakers {
  private readonly results = new Map<number, readonly InventoryResult[]>();
  private readonly openings = new Map<number, AppOpening>();

  scanAllowance(appId: number, nowMs: number): ScanAllowance {
    return scanAllowance(this.openings.get(appId) ?? null, nowMs);
  }

  /** Whether a request may be sent now: any while closed, otherwise single probes. */
  admits(appId: number, nowMs: number): boolean {
    const opening = this.openings.get(appId);
    if (!opening) return true;
    if (nowMs < opening.probeAtMs) return false;
    this.openings.set(appId, { ...opening, probeAtMs: nextProbeMs(nowMs) });
    return true;
  }

  record({ arrival, inventory }: SimulatedScan, failed: boolean, nowMs: number): void {
    const { appId, accountId } = arrival;
    const opening = this.openings.get(appId);
    if (opening) {
      if (!failed) this.openings.delete(appId);
      else if (nowMs >= opening.openUntilMs) this.openings.set(appId, opened(opening, nowMs));
      return;
    }
    const latest = { scopeKey: inventory, accountId, failed, atMs: nowMs };
    const results = withResult(this.results.get(appId) ?? [], latest);
    this.results.set(appId, results);
    if (failed && isOutage(results)) this.openings.set(appId, opened(null, nowMs));
  }
}
