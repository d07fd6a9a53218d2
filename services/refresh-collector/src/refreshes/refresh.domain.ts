import type {
  AccountId,
  ProjectId,
  RefreshId,
  RequestId,
  RevisionId,
  WatchId,
} from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import type {
  BillingState,
  HeldProduct,
  LedgerAsset,
  RefreshOutcome,
  RefreshState,
  SettlementDisposition,
} from '@inventory/contracts/vocabulary';
import type { EndCheck, ScanSize } from './recorded-scan.domain.ts';

/**
 * The phases of a refresh. `refused` is hidden from customers; `assembling` and `settling` are both
 * shown as `settling`.
 */
export const refreshPhases = [
  'accepted',
  'refused',
  'queued',
  'collecting',
  'assembling',
  'settling',
  'completed',
] as const;
export type RefreshPhase = (typeof refreshPhases)[number];

/** Phases of a refresh that counts as outstanding. */
export const openPhases = [
  'accepted',
  'queued',
  'collecting',
  'assembling',
  'settling',
] as const satisfies readonly RefreshPhase[];
export type OpenPhase = (typeof openPhases)[number];

/** Phases that wait for another service; a completed refresh waits for its event. */
export const waitingPhases = [
  ...openPhases,
  'completed',
] as const satisfies readonly RefreshPhase[];
export type WaitingPhase = (typeof waitingPhases)[number];

/** Cancelled before its admission, or its command came too late: another attempt may be made. */
export const attemptCancelled: RefreshRefusal = {
  code: 'service_unavailable',
  retry_after_seconds: 1,
};

/** The scan of a refresh, without its pages. Several workers may read it, one after another. */
export interface ScanSummary extends ScanSize {
  /** Grows with every claim; a write of an earlier epoch is refused. */
  readonly epoch: number;
  /** Its place among the scans of its inventory. */
  readonly sequence: number;
  readonly startedAtMs: number;
  readonly completedAtMs: number | null;
  readonly endCheck: EndCheck;
  /** No worker reads it until its pages fit into the plan again. */
  readonly parked: boolean;
  /** The replica that read it last. */
  readonly worker: string | null;
}

/** What the ledger held, and what was left available to the account. */
export interface Reservation {
  readonly priceVersion: number;
  readonly asset: LedgerAsset;
  readonly amount: number;
  readonly available: number;
}

/** One refresh attempt: the aggregate that the saga drives from acceptance to its event. */
export interface Refresh {
  readonly id: RefreshId;
  readonly version: number;
  readonly phase: RefreshPhase;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly requestId: RequestId;
  /** Null when none was given, and once a refusal released it. */
  readonly idempotencyKey: string | null;
  readonly fingerprint: string;
  /** Set where it is a run of a watch. */
  readonly watchId: WatchId | null;
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly maxCredits: number;
  /** How old an observation may be that is taken instead of a scan; null where none is. */
  readonly maxAgeSeconds: number | null;
  /** Pages that its inventory was known to have when it was requested or started; null where unknown. */
  readonly expectedPages: number | null;
  /** Under this id the gateway waits for the decision. */
  readonly waitingId: string | null;
  readonly requestedAtMs: number;
  readonly queueDeadlineMs: number;
  /** What its acceptance answers: seconds until its status is worth a read. */
  readonly retryAfterSeconds: number;
  readonly collectDeadlineMs: number | null;
  readonly completedAtMs: number | null;
  readonly refusal: RefreshRefusal | null;
  readonly acceptance: Reservation | null;
  /** A cancel that has to wait for the reservation's or the assembly's outcome. */
  readonly cancelRequested: boolean;
  readonly outcome: RefreshOutcome | null;
  readonly observedAssets: number | null;
  readonly revisionId: RevisionId | null;
  /** The revision that its own replaced; null where it replaced none. */
  readonly previousRevisionId: RevisionId | null;
  /** The end of the scan of another refresh, or of a capture, where its observation was taken. */
  readonly observedAtMs: number | null;
  readonly billing: {
    readonly state: BillingState;
    readonly disposition: SettlementDisposition | null;
    /** What it is paid with, from its reservation on; figures are of this asset. */
    readonly asset: LedgerAsset;
    readonly reserved: number;
    readonly charged: number | null;
    readonly released: number | null;
  };
  readonly eventAppended: boolean;
  readonly scan: ScanSummary | null;
}

/** Answered from what was saved before it was requested: nothing was held. */
export function isServedFromSaved({ billing }: Pick<Refresh, 'billing'>): boolean {
  return billing.disposition === 'finalize_saved';
}

/** What it is held and charged under. */
export function productOf({ watchId }: Pick<Refresh, 'watchId'>): HeldProduct {
  return watchId === null ? 'platform.inventory.refresh.v1' : 'platform.inventory.watch.v1';
}

/** The end of the scan that saw its inventory; null while there is none. */
export function verifiedAtMs(
  refresh: Pick<Refresh, 'revisionId' | 'observedAtMs' | 'scan'>,
): number | null {
  if (refresh.revisionId === null) return null;
  return refresh.observedAtMs ?? refresh.scan?.completedAtMs ?? null;
}

/** The state that customers see; a refused attempt has none. */
const shownStates: Readonly<Record<RefreshPhase, RefreshState | null>> = {
  accepted: 'accepted',
  refused: null,
  queued: 'queued',
  collecting: 'collecting',
  assembling: 'settling',
  settling: 'settling',
  completed: 'completed',
};

export function shownState(phase: RefreshPhase): RefreshState | null {
  return shownStates[phase];
}

export function phasesShownAs(state: RefreshState): RefreshPhase[] {
  const phases = Object.keys(shownStates) as RefreshPhase[];
  return phases.filter((phase) => shownStates[phase] === state);
}

/** Holds nothing and changes no more, except that a completed one waits for its event. */
export function isTerminal(phase: RefreshPhase): boolean {
  return phase === 'refused' || phase === 'completed';
}

/** Waits for another service, whose command is resent until the outcome arrives. */
export function isWaiting(refresh: Pick<Refresh, 'phase' | 'eventAppended'>): boolean {
  switch (refresh.phase) {
    case 'accepted':
    case 'assembling':
    case 'settling':
      return true;
    case 'completed':
      return !refresh.eventAppended;
    default:
      return false;
  }
}

/**
 * The deadline of the present phase; null once terminal. The deadline of collecting, or of the queue
 * where it was never started, is that of assembly and settlement after a grace.
 */
export function deadlineOf(
  refresh: Pick<Refresh, 'phase' | 'queueDeadlineMs' | 'collectDeadlineMs'>,
  settleGraceMs: number,
): number | null {
  if (isTerminal(refresh.phase)) return null;
  const deadlineMs = refresh.collectDeadlineMs ?? refresh.queueDeadlineMs;
  const settles = refresh.phase === 'assembling' || refresh.phase === 'settling';
  return settles ? deadlineMs + settleGraceMs : deadlineMs;
}
