import type { CredentialId, ProjectId, RefreshId, RequestId } from '@inventory/contracts/ids';
import type { BillingConfiguration } from '@inventory/contracts/messages/billing';
import type { BillingRefusal } from '@inventory/contracts/refusal';
import type {
  LedgerAsset,
  ProductCode,
  RefreshOutcome,
  SettlementDisposition,
} from '@inventory/contracts/vocabulary';
import type { Balances } from './balances.domain.ts';
import { type BillingCommandKind, resolutionKey } from './command.domain.ts';
import type { EntryKind } from './movement.domain.ts';
import type { Period } from './period.domain.ts';
import type { LowBalance } from './terms.domain.ts';

/** What every entry states. */
export interface EntryHead {
  /** Position in the account's journal, from 1, without gaps. */
  readonly seq: number;
  /** Never decreasing within the account; `seq` orders equal times. */
  readonly atMs: number;
  readonly kind: EntryKind;
  /** What it was made for; `expire` and `allowance` begin a month without a command. */
  readonly command: BillingCommandKind | 'expire' | 'allowance';
  readonly commandId: string;
  readonly asset: LedgerAsset;
}

/**
 * One line of an account's journal: what one command did, refusals included. Never changed. It
 * holds all of its outcome and all that distinguishes a duplicate of its command from a conflict.
 */
export interface Entry extends EntryHead, EntryDetails {
  readonly change: Balances;
  /** The balances of `asset` after this entry. */
  readonly after: Balances;
  /** Where the asset is units: the credits that it left untouched. */
  readonly creditsAvailable: number | null;
  /** Set where it crosses the account's alert. */
  readonly lowBalance: LowBalance | null;
  /**
   * The entries right before it that began its month on the way to it: they are stored as entries
   * of the same commit, and published whenever this one is.
   */
  readonly opening: readonly Entry[];
}

/** What an entry states of its command; null where it does not apply. */
export interface EntryDetails {
  /** Key of a command that can never be applied after this entry. */
  readonly precludes: string | null;
  readonly productCode: ProductCode | null;
  readonly priceVersion: number | null;
  /** Of a purchase whose command was sent while another list was in force than at `at`: when that was. */
  readonly pricedAtMs: number | null;
  readonly projectId: ProjectId | null;
  /** Of a purchase and of what ends it: the Credential that it counts against. */
  readonly credentialId: CredentialId | null;
  readonly refreshId: RefreshId | null;
  readonly requestId: RequestId | null;
  /** Of a reservation that `max_credits` made lower than its price list says. */
  readonly maxCredits: number | null;
  /** Of a charge for more than one page. */
  readonly pageCount: number | null;
  /** The amount of an operator's command, applied or not. */
  readonly amount: number | null;
  readonly reason: string | null;
  /** What a settlement was computed from. */
  readonly outcome: RefreshOutcome | null;
  readonly observedAssets: number | null;
  readonly disposition: SettlementDisposition | null;
  readonly refusal: BillingRefusal | null;
  /** What a `configure` sets. */
  readonly configured: BillingConfiguration | null;
  /**
   * Of a settle, release or reverse: the period of the hold or charge that it ends, where that
   * period is over. Units that it releases or refunds expire with it.
   */
  readonly pastPeriod: Period | null;
}

export const noDetails: EntryDetails = {
  precludes: null,
  productCode: null,
  priceVersion: null,
  pricedAtMs: null,
  projectId: null,
  credentialId: null,
  refreshId: null,
  requestId: null,
  maxCredits: null,
  pageCount: null,
  amount: null,
  reason: null,
  outcome: null,
  observedAssets: null,
  disposition: null,
  refusal: null,
  configured: null,
  pastPeriod: null,
};

/** The keys that this entry decides: its own command's, and one it precludes. */
export function entryKeys(entry: Entry): readonly string[] {
  const own = ownKey(entry);
  return entry.precludes === null ? [own] : [own, entry.precludes];
}

function ownKey(entry: Entry): string {
  const resolves = entry.command === 'settle' || entry.command === 'release';
  return resolves && entry.refreshId !== null ? resolutionKey(entry.refreshId) : entry.commandId;
}
