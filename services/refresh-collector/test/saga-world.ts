import type { RevisionId } from '@inventory/contracts/ids';
import type { RefreshOutcome, SettlementDisposition } from '@inventory/contracts/vocabulary';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { Fact } from '../src/saga/refresh-fact.domain.ts';
import {
  advance,
  type Effect,
  pendingEffects,
  type Step,
} from '../src/saga/refresh-saga.domain.ts';
import { acceptedRefresh, requestedAtMs } from './refresh-builder.ts';

/** The saga's rules as the world plays them; tests replace one to plant a fault. */
export interface SagaRules {
  readonly advance: (refresh: Refresh, fact: Fact) => Step;
  readonly pendingEffects: (refresh: Refresh, isOverdue: boolean) => Effect[];
}

export const realRules: SagaRules = { advance, pendingEffects };

/** What chance does next. */
export type Move =
  | { readonly move: 'deliver'; readonly index: number; readonly keep: boolean }
  | { readonly move: 'lose'; readonly index: number }
  | { readonly move: 'ask_again' }
  | { readonly move: 'cancel' }
  | { readonly move: 'restore_ledger' }
  | { readonly move: 'assemble' }
  | { readonly move: 'assembly_deadline' }
  | { readonly move: 'queue_deadline' }
  | { readonly move: 'collect_deadline' }
  | { readonly move: 'start_scan' }
  | { readonly move: 'observed' }
  | { readonly move: 'worker_dies' }
  | { readonly move: 'page' }
  | { readonly move: 'park' }
  | { readonly move: 'resume' }
  | { readonly move: 'unreachable' }
  | { readonly move: 'scan_completes'; readonly staleWorker: boolean }
  | { readonly move: 'scan_fails'; readonly staleWorker: boolean };

type Letter = { readonly to: 'ledger' | 'store' | 'log' | 'saga'; readonly what: Effect | Fact };

const held = 125;
const assets = 4_001;

interface Ledger {
  /** `lost`: a resolution found none, so there never will be one. */
  hold: 'none' | 'open' | 'refused' | 'resolved' | 'lost';
  resolution: Extract<Fact, { fact: 'settled' }> | null;
  resolutions: number;
}

/** What may never be mended within one history. */
export interface World {
  readonly funded: boolean;
  /** `loses_manifests`: each of them is lost or dead-lettered. `stuck`: no assembly ever ends. */
  readonly store: 'works' | 'loses_manifests' | 'stuck';
}

/**
 * One refresh among a ledger, a revision-store and an event log that answer by their own records,
 * and a post that loses, repeats and reorders. What the others do is the contract of their
 * services, in its smallest form.
 */
export class SagaWorld {
  refresh: Refresh;
  readonly ledger: Ledger = { hold: 'none', resolution: null, resolutions: 0 };
  store: 'unknown' | 'received' | 'committing' | 'committed' | 'abandoned' = 'unknown';
  events = 0;
  replies: string[] = [];
  private soup: Letter[] = [];
  private isOverdue = false;
  private readonly world: World;
  private readonly rules: SagaRules;

  constructor(world: World, rules: SagaRules) {
    this.world = world;
    this.rules = rules;
    this.refresh = acceptedRefresh();
    this.send(['reserve']);
  }

  play(move: Move): void {
    switch (move.move) {
      case 'deliver':
        this.deliver(move.index, move.keep);
        break;
      case 'lose':
        this.soup.splice(move.index % Math.max(1, this.soup.length), 1);
        break;
      case 'ask_again':
        this.send(this.rules.pendingEffects(this.refresh, this.isOverdue));
        break;
      case 'cancel':
        this.learn({ fact: 'cancel_requested' });
        break;
      case 'restore_ledger':
        // The backup was older than the hold.
        if (this.ledger.hold === 'open') this.ledger.hold = 'none';
        break;
      case 'assemble':
        this.assemble();
        break;
      case 'assembly_deadline':
        this.isOverdue = true;
        break;
      case 'observed':
        this.learn({
          fact: 'observed',
          revisionId: `invrev_${this.refresh.refreshId}` as RevisionId,
          previousRevisionId: null,
          changed: true,
          observedAssets: assets,
          verifiedAtMs: requestedAtMs + 1,
        });
        break;
      case 'queue_deadline':
        this.learn({ fact: 'queue_deadline_passed' });
        break;
      case 'collect_deadline':
        this.learn({ fact: 'collect_deadline_passed' });
        break;
      default:
        this.playScan(move);
        break;
    }
  }

  /** Faults stop: resent commands are delivered until nothing changes, and every deadline passes. */
  settleDown(): void {
    for (let round = 0; round < 30; round += 1) {
      if (round === 15) this.isOverdue = true;
      if (this.refresh.phase === 'queued') this.playScan({ move: 'start_scan' });
      if (this.refresh.phase === 'collecting') {
        this.playScan({ move: 'scan_completes', staleWorker: false });
      }
      this.send(this.rules.pendingEffects(this.refresh, this.isOverdue));
      this.assemble();
      while (this.soup.length > 0) {
        this.deliver(0, false);
        this.assemble();
      }
    }
  }

  private playScan(move: Move): void {
    const { scan } = this.refresh;
    if (move.move === 'start_scan') {
      const deadlineMs = requestedAtMs + 60_000;
      this.learn({
        fact: 'scan_started',
        atMs: requestedAtMs,
        deadlineMs,
        sequence: this.refresh.version,
        worker: 'worker-1',
        expectedPages: null,
      });
    } else if (scan && this.refresh.phase === 'collecting') {
      if (move.move === 'page') {
        this.learn({ fact: 'page_recorded', reportedTotalCount: assets, assetsRead: assets });
      }
      if (move.move === 'worker_dies') this.learn({ fact: 'scan_taken', worker: 'worker-2' });
      if (move.move === 'park') this.learn({ fact: 'scan_parked' });
      if (move.move === 'resume') this.learn({ fact: 'scan_resumed' });
      if (move.move === 'unreachable') this.learn({ fact: 'deadline_unreachable' });
      // A worker that lost its epoch is refused by the store, never by the saga.
      if ((move.move === 'scan_completes' || move.move === 'scan_fails') && !move.staleWorker) {
        this.learn(
          move.move === 'scan_completes'
            ? { fact: 'scan_completed', completedAtMs: requestedAtMs + 1 }
            : { fact: 'scan_failed', outcome: 'private' },
        );
      }
    }
  }

  private deliver(index: number, keep: boolean): void {
    const at = index % Math.max(1, this.soup.length);
    const letter = this.soup[at];
    if (!letter) return;
    if (!keep) this.soup.splice(at, 1);
    if (letter.to === 'saga') this.learn(letter.what as Fact);
    else if (letter.to === 'ledger') this.requestLedger(letter.what as Effect);
    else if (letter.to === 'store') this.requestStore(letter.what as Effect);
    else {
      this.events = 1;
      this.tell({ fact: 'event_appended' });
    }
  }

  private learn(fact: Fact): void {
    const step = this.rules.advance(this.refresh, fact);
    if (step.step === 'changed') this.refresh = step.next;
    if (step.step !== 'ignored') this.send(step.send);
  }

  private send(effects: readonly Effect[]): void {
    for (const what of effects) {
      if (what === 'reply_accepted' || what === 'reply_refused') this.replies.push(what);
      else this.soup.push({ to: addressee(what), what });
    }
  }

  private tell(fact: Fact): void {
    this.soup.push({ to: 'saga', what: fact });
  }

  /** Sticky: a command seen again gets its first answer, a refusal included. */
  private requestLedger(command: Effect): void {
    const { ledger } = this;
    if (command === 'reserve') {
      if (ledger.hold === 'none') ledger.hold = this.world.funded ? 'open' : 'refused';
      this.tell(
        ledger.hold === 'refused' || ledger.hold === 'lost'
          ? {
              fact: 'reserve_refused',
              refusal: { code: 'insufficient_credits', detail: { required: held, available: 0 } },
            }
          : {
              fact: 'reserved',
              reservation: { priceVersion: 1, asset: 'credits', amount: held, available: 0 },
            },
      );
      return;
    }
    if (ledger.hold === 'none') ledger.hold = 'lost';
    if (ledger.hold === 'lost' || ledger.hold === 'refused') {
      this.tell({ fact: 'hold_lost', atMs: requestedAtMs + 2 });
      return;
    }
    if (ledger.hold === 'open') {
      ledger.hold = 'resolved';
      ledger.resolutions += 1;
      ledger.resolution = resolutionOf(command === 'release' ? 'cancelled' : this.refresh.outcome);
    }
    if (ledger.resolution) this.tell(ledger.resolution);
  }

  /** The scan document decides between commit and abandon once, and answers from its record. */
  private requestStore(command: Effect): void {
    if (command === 'abandon_scan') {
      if (this.store === 'unknown' || this.store === 'received') this.store = 'abandoned';
    } else if (this.store === 'unknown') {
      if (this.world.store === 'loses_manifests') return;
      this.store = 'received';
    }
    this.tellDecision();
  }

  /** One step of an assembly; once its commit began it cannot be abandoned. */
  private assemble(): void {
    if (this.store === 'committing') {
      this.store = 'committed';
      this.tellDecision();
    } else if (this.store === 'received' && this.world.store !== 'stuck') {
      this.store = 'committing';
    }
  }

  private tellDecision(): void {
    if (this.store === 'abandoned') this.tell({ fact: 'rejected', reason: 'abandoned' });
    if (this.store !== 'committed') return;
    this.tell({
      fact: 'committed',
      revisionId: `invrev_${this.refresh.refreshId}` as RevisionId,
      previousRevisionId: null,
      changed: true,
      observedAssets: assets,
    });
  }
}

function addressee(effect: Effect): Letter['to'] {
  if (effect === 'complete_scan' || effect === 'abandon_scan') return 'store';
  return effect === 'announce' ? 'log' : 'ledger';
}

/** The settlement table of the interface, instead of the ledger's. */
export function settlementOf(outcome: RefreshOutcome | null): {
  disposition: SettlementDisposition;
  charged: number;
} {
  switch (outcome) {
    case 'complete_changed':
    case 'complete_unchanged':
      return { disposition: 'finalize_complete', charged: 3 };
    case 'private':
    case 'not_found':
      return { disposition: 'finalize_diagnostic', charged: 1 };
    default:
      return { disposition: 'release', charged: 0 };
  }
}

function resolutionOf(outcome: RefreshOutcome | null): Extract<Fact, { fact: 'settled' }> {
  const { disposition, charged } = settlementOf(outcome);
  return {
    fact: 'settled',
    disposition,
    charged,
    released: held - charged,
    atMs: requestedAtMs + 1_000,
  };
}
