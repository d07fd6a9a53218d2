import type { Observations } from '../observations/open-observations.ts';
import type { ScanWorker } from '../scans/scan-worker.ts';
import type { Scans } from '../scans/scans.ts';
import type { PlanLimits } from './plan-open-scans.ts';

/** What scans are planned with, taken whole by the scheduler and what executes its plans. */
export interface Planning {
  readonly scans: Scans;
  readonly observations: Observations;
  readonly worker: ScanWorker;
  readonly limits: PlanLimits;
}
