import type { AppReads } from '../egress/app-breaker.domain.ts';
import type { PageCapacity } from './page-capacity.domain.ts';

/** A refresh that waits for its scan to start. */
export interface QueuedRefresh {
  readonly id: string;
  readonly accountId: string;
  /** Platform account, application and context: one scan of it runs at a time. */
  readonly inventory: string;
  readonly appId: number;
  /** It starts before this time or not at all. */
  readonly queueDeadlineMs: number;
  /** Pages it is expected to have. */
  readonly pages: number;
  /** False when that is only what is typical: nothing is saved of this inventory. */
  readonly isSizeKnown: boolean;
}

/** A scan that was started and has not ended. */
export interface StartedScan {
  readonly id: string;
  readonly accountId: string;
  readonly inventory: string;
  readonly appId: number;
  readonly deadlineMs: number;
  /** Pages it still has to read, by what its first page reported or else by what is expected. */
  readonly pagesLeft: number;
  /** False until its first page is read, where nothing was saved before. */
  readonly isSizeKnown: boolean;
  /** A parked scan holds no lease and reads no page until it is resumed. */
  readonly parked: boolean;
}

/** Everything that decides which scan reads next. */
export interface QueueSnapshot {
  readonly nowMs: number;
  readonly capacity: PageCapacity;
  readonly queued: readonly QueuedRefresh[];
  readonly scans: readonly StartedScan[];
  /** How many scans of an application its breaker lets read. */
  readonly readsOf: (appId: number) => AppReads;
  /** When each account last had a scan started; absent means long ago. */
  readonly lastStartMs: ReadonlyMap<string, number>;
}
