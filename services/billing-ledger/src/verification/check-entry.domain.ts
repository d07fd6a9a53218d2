import { type Account, applyEntry, holdsAfter, withBalances } from '../accounts/account.domain.ts';
import { areEqual, isConserved, isSolvent, plus } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { findHold, type Hold, type HoldSet } from '../accounts/hold-set.domain.ts';
import { fitsTemplate } from '../accounts/movement.domain.ts';
import { spendAfter } from '../accounts/spend.domain.ts';
import { termsAfter } from '../accounts/terms.domain.ts';
import { type PageProduct, type PriceBook, pagePrice } from '../prices/price-list.domain.ts';
import { settlementOf } from '../prices/settlement.domain.ts';
import { openingProblems, periodProblems, termsProblems } from './check-terms.domain.ts';

/**
 * What is wrong with an entry as the next one of an account; nothing when it is sound. Says of
 * each rule on its own whether it holds, so that one fault shows as itself.
 */
export function entryProblems(account: Account, entry: Entry, prices: PriceBook): string[] {
  const before = account.balances[entry.asset];
  const after = plus(before, entry.change);
  return [
    entry.seq !== account.lastSeq + 1 && `does not follow position ${account.lastSeq}`,
    entry.at < account.lastAt && 'time is before the previous entry',
    !isConserved(entry.change) && 'movement does not net to zero',
    !fitsTemplate(entry.kind, entry.change) && `movement is not one of a ${entry.kind}`,
    !areEqual(after, entry.after) && 'balances are not the previous ones plus the movement',
    !isConserved(entry.after) && 'balances do not add up to what was issued',
    !isSolvent(entry.after) && 'balance is negative or inexact',
    (entry.kind === 'refuse') !== (entry.refusal !== null) && 'refusal code missing or unexpected',
    (entry.kind === 'configure') !== (entry.configured !== null) &&
      'configuration missing or unexpected',
    ...openingProblems(account, entry),
    ...holdProblems(findOpen(account, entry), entry),
    ...periodProblems(findOpen(account, entry), entry),
    ...termsProblems(account, entry),
    priceProblem(findOpen(account, entry), entry, prices),
    !isInForce(entry, prices) && 'its price list was not in force',
  ].filter((problem) => problem !== false);
}

/** The account after an entry, taking the entry's word where it does not follow. */
export function adoptEntry(account: Account, entry: Entry): Account {
  try {
    const next = applyEntry(account, entry);
    if (areEqual(next.balances[entry.asset], entry.after)) return next;
  } catch {
    // Not a fold any more: what comes next is judged against what this entry claims.
  }
  const balances = withBalances(account.balances, entry.asset, entry.after);
  return {
    accountId: account.accountId,
    lastSeq: entry.seq,
    lastAt: entry.at,
    balances,
    holds: adoptHolds(account, entry),
    terms: termsAfter(account.terms, entry, balances),
    spend: spendAfter(account.spend, entry),
  };
}

function adoptHolds(account: Account, entry: Entry): HoldSet {
  try {
    return holdsAfter(account.holds, entry);
  } catch {
    return account.holds;
  }
}

function findOpen(account: Account, entry: Entry): Hold | undefined {
  return entry.refreshId === null ? undefined : findHold(account.holds, entry.refreshId);
}

function holdProblems(open: Hold | undefined, entry: Entry): (string | false)[] {
  switch (entry.kind) {
    case 'reserve':
      return [open !== undefined && 'refresh has an open hold already'];
    case 'settle':
    case 'release':
      if (!open) return ['resolves a hold that is not open'];
      return [
        open.amount !== 0 - entry.change.held && 'does not resolve exactly what was reserved',
        open.asset !== entry.asset && 'resolves a hold in another asset',
        open.priceVersion !== entry.priceVersion && 'resolves a hold at other prices',
        open.productCode !== entry.productCode && 'resolves a hold of another product',
        open.projectId !== entry.projectId && 'resolves a hold of another Project',
      ];
    default:
      return [];
  }
}

function priceProblem(open: Hold | undefined, entry: Entry, book: PriceBook): string | false {
  const price = expectedPrice(open, entry, book);
  const { kind, change } = entry;
  const charged = kind === 'reserve' ? change.held : change.consumed;
  return (
    price !== null && charged !== price && `amount is ${charged}, its price list gives ${price}`
  );
}

/** A resolution and a reversal keep the list of what they end. */
function isInForce({ command, priceVersion, at }: Entry, book: PriceBook): boolean {
  if (priceVersion === null || book.byVersion(priceVersion) === undefined) return true;
  if (command !== 'reserve' && command !== 'charge') return true;
  return book.activeAt(at).version === priceVersion;
}

/** Null where the entry has no price of its own. */
function expectedPrice(open: Hold | undefined, entry: Entry, book: PriceBook): number | null {
  const prices = entry.priceVersion === null ? undefined : book.byVersion(entry.priceVersion);
  if (!prices) return null;
  switch (entry.kind) {
    case 'reserve':
      return Math.min(prices.refreshReservation, entry.maxCredits ?? Number.POSITIVE_INFINITY);
    case 'charge':
      return pagePrice(prices, entry.productCode as PageProduct);
    case 'settle':
    case 'release': {
      if (!open || entry.outcome === null) return entry.kind === 'release' ? 0 : null;
      const { outcome, observedAssets } = entry;
      if (outcome.startsWith('complete_') && observedAssets === null) return null;
      return settlementOf({ reserved: open.amount, prices, outcome, observedAssets }).charged;
    }
    default:
      return null;
  }
}
