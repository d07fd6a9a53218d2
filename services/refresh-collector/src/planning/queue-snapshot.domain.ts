import type { ScanAllowance } from '../egress/app-breaker.domain.ts';
import type { PageCapacities } from './page-capacity.domain.ts';
import type { QueuedRefreshes } from './queued-refreshes.domain.ts';

/** A scan that has started and not ended. */
export interface StartedScan {
  readonly id: string;
  readonly accountId: string;
  readonly inventory: string;
  readonly appId: number;
  readonly deadlineMs: number;
  /** Pages it still has to read, by the total of its first page or else by the expected pages. */
  readonly pagesLeft: number;
  /** False until its first page is read, where no earlier scan reported the size. */
  readonly isSizeKnown: boolean;
  /** False once its first page reports more pages than were reserved, until a plan reserves them. */
  readonly isReserved: boolean;
  /** A parked scan holds no lease and reads no page until it is resumed. */
  readonly parked: boolean;
}

/** The refreshes that a plan is of. */
export interface OpenRefreshes {
  readonly queued: QueuedRefreshes;
  readonly scans: readonly StartedScan[];
  /** Pages to expect of an inventory that was never read. */
  readonly typicalPages: number;
}

/** What else decides which of them may start. */
export interface StartConditions {
  /** Starting it failed again and again; it is tried later. */
  readonly isPostponed: (id: string) => boolean;
  /** How many scans of an application its breaker allows. */
  readonly scanAllowance: (appId: number) => ScanAllowance;
  /** When an account last had a scan started; undefined means long ago. */
  readonly lastStartMs: (accountId: string) => number | undefined;
}

/** The inputs of the scan plan. */
export interface QueueSnapshot extends OpenRefreshes, StartConditions {
  readonly nowMs: number;
  readonly capacity: PageCapacities;
}
