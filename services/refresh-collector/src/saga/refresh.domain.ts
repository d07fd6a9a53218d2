import { credentialId, revisionId } from '@inventory/contracts/ids';
import { refreshRequested } from '@inventory/contracts/messages/refresh';
import { type RefreshRefusal, refreshRefusal } from '@inventory/contracts/refusal';
import {
  billingState,
  type HeldProduct,
  ledgerAsset,
  type RefreshState,
  refreshOutcome,
  settlementDisposition,
} from '@inventory/contracts/vocabulary';
import { z } from 'zod';
import { endCheck, scanSize } from './recorded-scan.domain.ts';

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

/** Of the scan of a refresh, without its pages. Several workers may read it, one after another. */
const scanSummary = z.object({
  /** Grows with every claim; a write of an earlier epoch is refused. */
  epoch: z.int(),
  /** Its index among the scans of its inventory. */
  sequence: z.int(),
  startedAtMs: z.number(),
  completedAtMs: z.number().nullable(),
  ...scanSize.shape,
  endCheck,
  /** No worker reads it until its pages fit into the plan again. */
  parked: z.boolean(),
  /** The replica that read it last. */
  worker: z.string().nullable(),
});
export type ScanSummary = z.infer<typeof scanSummary>;

/** What the ledger held, and what was left available to the account. */
const reservation = z.object({
  priceVersion: z.int(),
  asset: ledgerAsset,
  amount: z.int(),
  available: z.int(),
});
export type Reservation = z.infer<typeof reservation>;

/** One refresh attempt: what was requested, and what the saga, from acceptance to its event, made of it. */
export const refresh = refreshRequested.out.extend({
  /** Null where an earlier version stored it. */
  credentialId: credentialId.nullable().default(null),
  version: z.int(),
  phase: z.enum(refreshPhases),
  /** Null when none was given, and once a refusal released it. */
  idempotencyKey: z.string().nullable(),
  /** Pages that its inventory was known to have when it was requested or started; null where unknown. */
  expectedPages: z.int().nullable(),
  /** Under this id the gateway waits for the decision. */
  waitingId: z.string().nullable(),
  queueDeadlineMs: z.number(),
  /** What its acceptance returns: seconds until its status is worth a read. */
  retryAfterSeconds: z.int(),
  collectDeadlineMs: z.number().nullable(),
  completedAtMs: z.number().nullable(),
  refusal: refreshRefusal.nullable(),
  acceptance: reservation.nullable(),
  /** A cancel that has to wait for the reservation's or the assembly's outcome. */
  cancelRequested: z.boolean(),
  outcome: refreshOutcome.nullable(),
  observedAssets: z.int().nullable(),
  revisionId: revisionId.nullable(),
  /** The revision that its own replaced; null where it replaced none. */
  previousRevisionId: revisionId.nullable(),
  /** The end of the scan of another refresh, or of a capture, where its observation was taken. */
  observedAtMs: z.number().nullable(),
  billing: z.object({
    state: billingState,
    disposition: settlementDisposition.nullable(),
    /** What it is paid with, from its reservation on; whole credits or units are of this asset. */
    asset: ledgerAsset,
    reserved: z.int(),
    charged: z.int().nullable(),
    released: z.int().nullable(),
  }),
  eventAppended: z.boolean(),
  scan: scanSummary.nullable(),
  /** Of its request: every step of the refresh continues it. */
  trace: z.object({
    traceparent: z.string().exactOptional(),
    tracestate: z.string().exactOptional(),
  }),
});
export type Refresh = z.infer<typeof refresh>;

/** What the planner reads of a refresh. */
export const plannedRefresh = refresh.pick({
  refreshId: true,
  version: true,
  accountId: true,
  scope: true,
  phase: true,
  queueDeadlineMs: true,
  collectDeadlineMs: true,
  expectedPages: true,
  freshness: true,
  watchId: true,
  scan: true,
});
export type PlannedRefresh = z.infer<typeof plannedRefresh>;

/** Completed from what was saved before it was requested: nothing was held. */
export function isServedFromSaved({ billing }: Refresh): boolean {
  return billing.disposition === 'finalize_saved';
}

/** What it is held and charged under. */
export function productOf({ watchId }: Refresh): HeldProduct {
  return watchId === null ? 'platform.inventory.refresh.v1' : 'platform.inventory.watch.v1';
}

/** The end of the scan that saw its inventory; null while there is none. */
export function verifiedTime(refresh: Refresh): number | null {
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
export function isWaiting(refresh: Refresh): boolean {
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
export function deadlineOf(refresh: Refresh, settleGraceMs: number): number | null {
  if (isTerminal(refresh.phase)) return null;
  const deadlineMs = refresh.collectDeadlineMs ?? refresh.queueDeadlineMs;
  const settles = refresh.phase === 'assembling' || refresh.phase === 'settling';
  return settles ? deadlineMs + settleGraceMs : deadlineMs;
}
