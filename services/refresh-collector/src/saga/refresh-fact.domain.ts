import type { RevisionId } from '@inventory/contracts/ids';
import type { RejectionReason } from '@inventory/contracts/messages/revision';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type { RefreshOutcome, SettlementDisposition } from '@inventory/contracts/vocabulary';
import type { Reservation } from './refresh.domain.ts';

/** An input of the saga. Facts are repeated, reordered and lost. */
export type Fact =
  | { readonly fact: 'reserved'; readonly reservation: Reservation }
  | { readonly fact: 'reserve_refused'; readonly refusal: RefreshRefusal }
  /** Another scan of its inventory ended meanwhile, and is young enough for it. */
  | (SavedRevision & { readonly fact: 'observed'; readonly verifiedAtMs: number })
  | { readonly fact: 'cancel_requested' }
  | { readonly fact: 'queue_deadline_passed' }
  | (ScanStart & { readonly fact: 'scan_started' })
  | {
      readonly fact: 'page_recorded';
      readonly reportedTotalCount: number;
      /** Assets that the pages read so far cover. */
      readonly assetsRead: number;
    }
  /** A last page had no assets after this cursor: the page before it is read again. */
  | { readonly fact: 'end_doubted'; readonly cursor: string | null }
  /** Another worker resumes the scan: writes of the last one are refused. */
  | { readonly fact: 'scan_taken'; readonly worker: string }
  /** Its pages do not fit any more, or the breaker of its application is open. */
  | { readonly fact: 'scan_parked' }
  | { readonly fact: 'scan_resumed' }
  /** More pages are left than can be read before the deadline. */
  | { readonly fact: 'deadline_unreachable' }
  | { readonly fact: 'collect_deadline_passed' }
  | { readonly fact: 'scan_completed'; readonly completedAtMs: number }
  | { readonly fact: 'scan_failed'; readonly outcome: FailedScanOutcome }
  /** What was known of it, and what was read of it so far, must not be used. */
  | { readonly fact: 'inventory_erased' }
  | (SavedRevision & { readonly fact: 'committed' })
  | { readonly fact: 'rejected'; readonly reason: RejectionReason }
  | {
      readonly fact: 'settled';
      readonly disposition: SettlementDisposition;
      readonly charged: number;
      readonly released: number;
      readonly atMs: number;
    }
  /** The ledger has no hold to settle, as after a restore: nothing can be charged any more. */
  | { readonly fact: 'hold_lost'; readonly atMs: number }
  | { readonly fact: 'event_appended' };

export interface ScanStart {
  readonly atMs: number;
  readonly deadlineMs: number;
  readonly sequence: number;
  readonly worker: string | null;
  readonly expectedPages: number | null;
}

/** What is saved of its inventory, as its commit announces it. */
export interface SavedRevision {
  readonly revisionId: RevisionId;
  readonly previousRevisionId: RevisionId | null;
  readonly changed: boolean;
  readonly observedAssets: number;
}

export type FailedScanOutcome = Exclude<RefreshOutcome, 'complete_changed' | 'complete_unchanged'>;
