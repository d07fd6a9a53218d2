import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Observation } from '../domain/observation.ts';
import type { Retention } from '../domain/retention.ts';
import type { DecidedScan, ScanResult } from '../domain/scan.ts';
import type { ScanComparison } from '../domain/scan-comparison.ts';
import type { ObservationStore } from '../storage/observation-store.ts';
import type { ScanStore } from '../storage/scan-store.ts';
import type { ScopeLease, ScopeStore } from '../storage/scope-store.ts';
import type { ClaimedScan } from '../storage/waiting-scans.ts';
import { decideScan } from './decide-scan.ts';

export interface CommitScanDeps {
  readonly scans: ScanStore;
  readonly scopes: Pick<ScopeStore, 'moveHead' | 'schedulePrune'>;
  readonly observations: Pick<ObservationStore, 'keepSuperseded'>;
  readonly clock: Clock;
  readonly settings: { readonly retention: Retention };
}

export interface ScanToCommit {
  readonly claimed: ClaimedScan;
  readonly lease: ScopeLease;
  readonly verdict: ScanComparison;
}

/**
 * Makes an assembled scan what Current reads:
 *
 * 1. scan document to `committing`: from here on an abandonment is refused, before it the
 *    abandonment has won;
 * 2. keep the observation that will no longer be the head. A crash after it leaves a copy of the
 *    head that the next commit writes anew;
 * 3. move the head, filtered on the lease's epoch, the result beside it. A crash before it makes
 *    another worker assemble the scan again, a crash after it makes another copy the result;
 * 4. copy the result to the scan document, its outcome in the same write.
 */
export async function commitScan(
  deps: CommitScanDeps,
  { claimed, lease, verdict }: ScanToCommit,
): Promise<ScanResult> {
  const { scans, scopes, observations, clock } = deps;
  const { scanId, refreshId } = claimed.scan;
  const { scopeKey, head } = lease;
  if (!(await scans.beginCommit(scanId))) {
    await scopes.schedulePrune(lease, clock.now());
    const { decided } = await scans.findScan(scanId);
    invariant(decided !== null, 'a scan that cannot be committed has been decided');
    return decided.result;
  }
  const superseded = verdict.place === 'head' ? head : keptOf(verdict);
  if (superseded) await observations.keepSuperseded(scopeKey, superseded, clock.now());
  const decided: DecidedScan = { scanId, refreshId, result: resultOf(verdict) };
  const moved = await scopes.moveHead(lease, {
    head: verdict.head,
    decided,
    pruneAtMs: pruneAtMs(deps, claimed, verdict, superseded),
  });
  if (!moved) throw new LeaseLost();
  return decideScan(deps, decided, 'head_moved');
}

function keptOf(verdict: ScanComparison): Observation | null {
  return verdict.place === 'superseded' ? verdict.observation : null;
}

function resultOf({ observation, changed }: ScanComparison): ScanResult {
  return {
    result: 'committed',
    revisionId: observation.revision.revisionId,
    observationId: observation.observationId,
    changed,
    observedAssets: observation.revision.totalCount,
  };
}

/** At once when an earlier try of this scan may have left blocks. */
function pruneAtMs(
  { clock, settings }: CommitScanDeps,
  { wasClaimed }: ClaimedScan,
  { observation }: ScanComparison,
  superseded: Observation | null,
): number {
  if (wasClaimed) return clock.now();
  if (superseded) return clock.now() + settings.retention.supersededKeptMs;
  return observation.window.completedAtMs + settings.retention.headKeptMs;
}
