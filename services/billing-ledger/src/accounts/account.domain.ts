import type { AccountId } from '@inventory/contracts/ids';
import {
  type HeldProduct,
  isHeldProduct,
  type LedgerAsset,
  ledgerAssets,
  type ProductCode,
} from '@inventory/contracts/vocabulary';
import {
  areEqual,
  type Balances,
  isConserved,
  isSolvent,
  noBalances,
  plus,
} from './balances.domain.ts';
import type { Entry } from './entry.domain.ts';
import { type Hold, type HoldSet, noHolds, withHold, withoutHold } from './hold-set.domain.ts';
import { LedgerConflict } from './ledger-conflict.domain.ts';
import { nothingSpent, type Spend, spendAfter } from './spend.domain.ts';
import { firstTerms, type Terms, termsAfter } from './terms.domain.ts';

/** What an account's journal adds up to. Only {@link applyEntry} makes a new one. */
export interface LedgerAccount {
  readonly accountId: AccountId;
  /** Position of the newest entry; 0 before the first. */
  readonly lastSeq: number;
  /** Its time; 0 before the first. */
  readonly lastAtMs: number;
  readonly balances: Readonly<Record<LedgerAsset, Balances>>;
  readonly holds: HoldSet;
  readonly terms: Terms;
  readonly spend: Spend;
}

export function newAccount(accountId: AccountId): LedgerAccount {
  return {
    accountId,
    lastSeq: 0,
    lastAtMs: 0,
    balances: { credits: noBalances, units: noBalances },
    holds: noHolds,
    terms: firstTerms,
    spend: nothingSpent,
  };
}

/**
 * The fold: the account after one more entry. The writer, loading, snapshots and verification all
 * use it, so a balance is never anything else than what the journal adds up to. Throws a
 * LedgerConflict when the entry cannot follow: a fault of ours, nothing is written then.
 */
export function applyEntry(account: LedgerAccount, entry: Entry): LedgerAccount {
  const { asset } = entry;
  const after = plus(account.balances[asset], entry.change);
  if (entry.seq !== account.lastSeq + 1) throw new LedgerConflict('entries follow without a gap');
  if (entry.atMs < account.lastAtMs) throw new LedgerConflict('entry times never decrease');
  if (!isConserved(after)) throw new LedgerConflict('an entry neither makes nor loses an amount');
  if (!isSolvent(after)) throw new LedgerConflict('no balance is negative or inexact');
  const balances = withBalances(account.balances, asset, after);
  return {
    accountId: account.accountId,
    lastSeq: entry.seq,
    lastAtMs: entry.atMs,
    balances,
    holds: holdsAfter(account.holds, entry),
    terms: termsAfter(account.terms, entry, balances),
    spend: spendAfter(account.spend, entry),
  };
}

/** The sum of the open holds of one asset; always its held balance. */
export function heldAmount(holds: Iterable<Hold>, asset: LedgerAsset): number {
  let sum = 0;
  for (const hold of holds) if (hold.asset === asset) sum += hold.amount;
  return sum;
}

/** The assets the account has, or ever had, anything of. */
export function usedAssets(balances: LedgerAccount['balances']): LedgerAsset[] {
  return ledgerAssets.filter((asset) => !areEqual(balances[asset], noBalances));
}

export function withBalances(
  balances: LedgerAccount['balances'],
  asset: LedgerAsset,
  after: Balances,
): LedgerAccount['balances'] {
  return asset === 'credits'
    ? { credits: after, units: balances.units }
    : { credits: balances.credits, units: after };
}

/** The open holds after an entry; throws a LedgerConflict when it does not fit them. */
export function holdsAfter(holds: HoldSet, entry: Entry): HoldSet {
  switch (entry.kind) {
    case 'reserve':
      return withHold(holds, openedBy(entry));
    case 'settle':
    case 'release':
      return withoutHold(holds, required(entry.refreshId));
    default:
      return holds;
  }
}

function openedBy(entry: Entry): Hold {
  return {
    refreshId: required(entry.refreshId),
    projectId: required(entry.projectId),
    credentialId: entry.credentialId,
    productCode: held(required(entry.productCode)),
    asset: entry.asset,
    amount: entry.change.held,
    priceVersion: required(entry.priceVersion),
    reservedAtMs: entry.atMs,
  };
}

function required<Value>(value: Value | null): Value {
  if (value === null) throw new LedgerConflict('an entry about a hold names it');
  return value;
}

function held(product: ProductCode): HeldProduct {
  if (!isHeldProduct(product)) throw new LedgerConflict('a hold is of a refresh');
  return product;
}
