import type { ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import type {
  LedgerAsset,
  ProductCode,
  RefreshOutcome,
  SettlementDisposition,
} from '@inventory/contracts/vocabulary';
import type { Balances } from './balances.ts';
import { type CommandKind, resolutionKey } from './command.ts';
import type { InsufficientCode } from './funding.ts';
import type { EntryKind } from './movement.ts';

export interface Refusal {
  readonly code:
    | InsufficientCode
    | 'hold_unknown'
    | 'already_reversed'
    | 'charge_unknown'
    | 'balance_limit_exceeded';
  readonly required: number | null;
  readonly available: number | null;
}

/**
 * One line of an account's journal: what one command did, refusals included. Never changed. It
 * holds all that its outcome says and all that tells a repetition of its command from another.
 */
export interface Entry {
  /** Position in the account's journal, from 1, without gaps. */
  readonly seq: number;
  /** Milliseconds since the epoch, strictly increasing within the account. */
  readonly at: number;
  readonly kind: EntryKind;
  readonly command: CommandKind;
  readonly commandId: string;
  /** Key of a command that can never be applied after this entry. */
  readonly precludes: string | null;
  readonly asset: LedgerAsset;
  readonly change: Balances;
  /** The balances of `asset` after this entry. */
  readonly after: Balances;
  readonly productCode: ProductCode | null;
  readonly priceVersion: number | null;
  readonly projectId: ProjectId | null;
  readonly refreshId: RefreshId | null;
  readonly requestId: RequestId | null;
  /** What an operator asked for, applied or not. */
  readonly amount: number | null;
  readonly reason: string | null;
  /** What a settlement was computed from. */
  readonly outcome: RefreshOutcome | null;
  readonly observedAssets: number | null;
  readonly disposition: SettlementDisposition | null;
  readonly refusal: Refusal | null;
}

/** The keys this entry answers: its own command's, and one it precludes. */
export function entryKeys(entry: Entry): readonly string[] {
  const own = ownKey(entry);
  return entry.precludes === null ? [own] : [own, entry.precludes];
}

function ownKey(entry: Entry): string {
  const resolves = entry.command === 'settle' || entry.command === 'release';
  return resolves && entry.refreshId !== null ? resolutionKey(entry.refreshId) : entry.commandId;
}
