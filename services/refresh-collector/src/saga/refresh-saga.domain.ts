import type { RejectionReason } from '@inventory/contracts/messages/revision';
import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import { noEndCheck } from './recorded-scan.domain.ts';
import type { Refresh, RefreshPhase } from './refresh.domain.ts';
import type { Fact, FailedScanOutcome, SavedRevision } from './refresh-fact.domain.ts';

/** What a step sends; the messages are built from the refresh. */
export type Effect =
  | 'reserve'
  | 'release'
  | 'reply_accepted'
  | 'reply_refused'
  | 'complete_scan'
  | 'abandon_scan'
  | 'settle'
  | 'announce';

/**
 * `changed`: save `next` and send. `repeated`: the fact was applied already; send again, save
 * nothing. `ignored`: the fact has no meaning in this phase.
 */
export type Step =
  | {
      readonly step: 'changed';
      readonly next: Refresh;
      readonly send: readonly Effect[];
      /** The messages are the same whatever else has changed the refresh: they need not follow the write. */
      readonly isCertain?: true;
    }
  | { readonly step: 'repeated'; readonly send: readonly Effect[] }
  | { readonly step: 'ignored' };

type Rule<F extends Fact> = (refresh: Refresh, fact: F) => Step;
type Rules = {
  readonly [Phase in RefreshPhase]: {
    readonly [Name in Fact['fact']]?: Rule<Extract<Fact, { fact: Name }>>;
  };
};

const ignored: Step = { step: 'ignored' };
const repeat = (...send: Effect[]): Step => ({ step: 'repeated', send });

function change(refresh: Refresh, patch: Partial<Refresh>, ...send: Effect[]): Step {
  return {
    step: 'changed',
    next: { ...refresh, ...patch, version: refresh.version + 1 },
    send,
  };
}

/** Collection has ended: billing is pending, and the ledger prices the outcome. */
function settle(
  refresh: Refresh,
  outcome: RefreshOutcome,
  patch: Partial<Refresh>,
  ...send: Effect[]
): Step {
  const billing = { ...refresh.billing, state: 'pending' as const };
  return change(refresh, { ...patch, phase: 'settling', outcome, billing }, ...send, 'settle');
}

/** The outcome of a scan past its deadline depends on whether it read a page. */
export function outcomeOfDeadline(refresh: Refresh): FailedScanOutcome {
  return (refresh.scan?.pages ?? 0) > 0 ? 'incomplete' : 'upstream_unavailable';
}

/** The inventory is saved, by its own scan or by another one. */
function settleSaved(
  refresh: Refresh,
  { changed, revisionId, previousRevisionId, observedAssets }: SavedRevision,
  patch: Partial<Refresh> = {},
): Step {
  const outcome = changed ? 'complete_changed' : 'complete_unchanged';
  return settle(refresh, outcome, { revisionId, previousRevisionId, observedAssets, ...patch });
}

const onReserved: Rule<Extract<Fact, { fact: 'reserved' }>> = (refresh, fact) => {
  const acceptance = fact.reservation;
  const { asset, amount: reserved } = acceptance;
  const billing = { ...refresh.billing, asset, reserved };
  if (refresh.cancelRequested) {
    return settle({ ...refresh, billing }, 'cancelled', { acceptance });
  }
  return change(refresh, { phase: 'queued', acceptance, billing });
};

/** Billing has ended: the refresh is terminal and announced, and keeps nothing of its inventory's size. */
function finalize(
  refresh: Refresh,
  { atMs, disposition, charged, released }: Extract<Fact, { fact: 'settled' }>,
): Step {
  const settled = { disposition, charged, released };
  const billing = { ...refresh.billing, state: 'finalized' as const, ...settled };
  const { scan: read } = refresh;
  const scan = read && { ...read, ...noSize, endCheck: { ...read.endCheck, cursor: null } };
  const ended = { completedAtMs: atMs, billing, expectedPages: null, scan };
  return change(refresh, { ...ended, phase: 'completed' }, 'announce');
}

const noSize = { assetsRead: 0, reportedTotalCount: null } as const;

const newScan = {
  ...noSize,
  epoch: 1,
  completedAtMs: null,
  pages: 0,
  endCheck: noEndCheck,
  parked: false,
} as const;

function endOutOfTime(refresh: Refresh): Step {
  return settle(fenced(refresh), outcomeOfDeadline(refresh), {}, 'abandon_scan');
}

function forgetSize(refresh: Refresh): Step {
  return refresh.expectedPages === null ? ignored : change(refresh, { expectedPages: null });
}

function onTaken(refresh: Refresh, worker: string): Step {
  const { scan } = fenced(refresh);
  return scan && !scan.parked ? change(refresh, { scan: { ...scan, worker } }) : ignored;
}

function withParked(refresh: Refresh, parked: boolean): Step {
  if (!refresh.scan || refresh.scan.parked === parked) return ignored;
  const { scan } = fenced(refresh);
  return change(refresh, { scan: scan && { ...scan, parked } });
}

/**
 * The saga as one table from phase and fact to a step. A fact without a rule is ignored; one that
 * was applied already is replied to again where its sender waits for the outcome.
 */
const rules: Rules = {
  accepted: {
    reserved: onReserved,
    reserve_refused: (refresh, { refusal }) =>
      change(refresh, { phase: 'refused', refusal, idempotencyKey: null }, 'reply_refused'),
    cancel_requested: (refresh) =>
      refresh.cancelRequested ? ignored : change(refresh, { cancelRequested: true }),
    inventory_erased: forgetSize,
  },
  refused: {
    // An orphaned hold, made by a reserve that was resent after its refusal.
    reserved: () => repeat('release'),
    reserve_refused: () => repeat('reply_refused'),
  },
  queued: {
    scan_started: (refresh, { atMs, deadlineMs, sequence, worker, expectedPages }) =>
      change(refresh, {
        phase: 'collecting',
        collectDeadlineMs: deadlineMs,
        expectedPages,
        scan: { ...newScan, sequence, startedAtMs: atMs, worker },
      }),
    observed: (refresh, { verifiedAtMs: observedAtMs, ...saved }) =>
      settleSaved(refresh, saved, { observedAtMs }),
    cancel_requested: (refresh) => settle(refresh, 'cancelled', {}),
    queue_deadline_passed: (refresh) => settle(refresh, 'upstream_unavailable', {}),
    inventory_erased: forgetSize,
  },
  collecting: {
    page_recorded: (refresh, { reportedTotalCount, assetsRead }) =>
      refresh.scan
        ? change(refresh, {
            scan: {
              ...refresh.scan,
              pages: refresh.scan.pages + 1,
              assetsRead,
              reportedTotalCount,
              endCheck: { ...refresh.scan.endCheck, cursor: null },
            },
          })
        : ignored,
    end_doubted: (refresh, { cursor }) =>
      refresh.scan
        ? change(refresh, {
            scan: {
              ...refresh.scan,
              endCheck: { cursor, attempts: refresh.scan.endCheck.attempts + 1 },
            },
          })
        : ignored,
    scan_taken: (refresh, { worker }) => onTaken(refresh, worker),
    scan_parked: (refresh) => withParked(refresh, true),
    scan_resumed: (refresh) => withParked(refresh, false),
    // The next epoch has no worker: writes of the present one are refused.
    cancel_requested: (refresh) => settle(fenced(refresh), 'cancelled', {}, 'abandon_scan'),
    collect_deadline_passed: endOutOfTime,
    deadline_unreachable: endOutOfTime,
    scan_completed: (refresh, { completedAtMs }) =>
      refresh.scan
        ? change(
            refresh,
            { phase: 'assembling', scan: { ...refresh.scan, completedAtMs } },
            'complete_scan',
          )
        : ignored,
    inventory_erased: (refresh) => settle(fenced(refresh), 'incomplete', {}, 'abandon_scan'),
    scan_failed: (refresh, { outcome }) => settle(refresh, outcome, {}, 'abandon_scan'),
  },
  assembling: {
    // From here on the revision-store decides between commit and abandon.
    cancel_requested: (refresh) =>
      refresh.cancelRequested
        ? repeat('abandon_scan')
        : change(refresh, { cancelRequested: true }, 'abandon_scan'),
    committed: (refresh, saved) => ({ ...settleSaved(refresh, saved), isCertain: true }),
    rejected: (refresh, { reason }) => settle(refresh, refusedAssembly(refresh, reason), {}),
  },
  settling: {
    committed: () => repeat('settle'),
    rejected: () => repeat('settle'),
    settled: finalize,
    hold_lost: (refresh, { atMs }) => {
      const { reserved: released } = refresh.billing;
      return finalize(refresh, {
        fact: 'settled',
        atMs,
        disposition: 'release',
        charged: 0,
        released,
      });
    },
  },
  completed: {
    hold_lost: (refresh) => (refresh.eventAppended ? ignored : repeat('announce')),
    settled: (refresh) => (refresh.eventAppended ? ignored : repeat('announce')),
    event_appended: (refresh) =>
      refresh.eventAppended ? ignored : change(refresh, { eventAppended: true }),
  },
};

/** Applies a fact to a refresh. Total: any fact may meet any phase, any number of times. */
export function advance(refresh: Refresh, fact: Fact): Step {
  const rule = rules[refresh.phase][fact.fact] as Rule<Fact> | undefined;
  return rule ? rule(refresh, fact) : ignored;
}

/** The commands that are pending in a phase; `isOverdue` once its deadline has passed. */
export function pendingEffects(refresh: Refresh, isOverdue: boolean): Effect[] {
  switch (refresh.phase) {
    case 'accepted':
      return ['reserve'];
    case 'assembling':
      // Alone, so that it is decided also where no manifest can be delivered.
      if (isOverdue) return ['abandon_scan'];
      // The manifest first: an abandon alone would reject a scan that was handed over.
      return refresh.cancelRequested ? ['complete_scan', 'abandon_scan'] : ['complete_scan'];
    case 'settling':
      return ['settle'];
    case 'completed':
      return refresh.eventAppended ? [] : ['announce'];
    default:
      return [];
  }
}

function fenced(refresh: Refresh): Refresh {
  if (!refresh.scan) return refresh;
  return { ...refresh, scan: { ...refresh.scan, epoch: refresh.scan.epoch + 1 } };
}

/**
 * A rejected manifest is not a whole inventory. Staged pages that are gone, and a scan that was
 * not decided in time, are faults of the service.
 */
function refusedAssembly({ cancelRequested }: Refresh, reason: RejectionReason): FailedScanOutcome {
  switch (reason) {
    case 'invalid_pages':
      return 'incomplete';
    case 'abandoned':
      return cancelRequested ? 'cancelled' : 'internal_failure';
    case 'missing_pages':
      return 'internal_failure';
  }
}
