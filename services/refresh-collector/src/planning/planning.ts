import type { IdentityLimits } from '../egress/egress-identity.domain.ts';
import type { Observations } from '../observations/open-observations.ts';
import type { ScanWorker } from '../scans/scan-worker.ts';
import type { Scans } from '../scans/scans.ts';

/** What scans are planned with, taken whole by the scheduler and what executes its plans. */
export interface Planning {
  readonly scans: Scans;
  readonly observations: Observations;
  readonly worker: ScanWorker;
  readonly limits: PlanLimits;
}

export interface PlanLimits {
  readonly assetsPerPage: number;
  readonly identities: IdentityLimits;
  readonly queueMs: number;
  readonly collectMs: number;
  readonly scansMax: number;
  readonly scansPerAccountMax: number;
  /** Pages of the largest refresh that a reservation pays for. */
  readonly pagesMax: number;
}
