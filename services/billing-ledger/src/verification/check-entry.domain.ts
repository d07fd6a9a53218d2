import { type Account, applyEntry, holdsAfter, withBalances } from '../accounts/account.domain.ts';
import { areEqual, isConserved, isSolvent, plus } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { findHold, type Hold, type HoldSet } from '../accounts/hold-set.domain.ts';
import { fitsTemplate } from '../accounts/movement.domain.ts';
import { dueOpening, openingMovement, periodStateOf } from '../accounts/open-period.domain.ts';
import { pastPeriod } from '../accounts/period.domain.ts';
import { capRefusal, spendAfter } from '../accounts/spend.domain.ts';
import { crossedAlert, fundingAsset, termsAfter } from '../accounts/terms.domain.ts';
import { type PageProduct, type PriceBook, pagePrice } from '../prices/price-list.domain.ts';
import { settlementOf } from '../prices/settlement.domain.ts';

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
      return (entry.pages ?? 1) * pagePrice(prices, entry.productCode as PageProduct);
    case 'settle':
    case 'release': {
      if (!open || entry.outcome === null) return entry.kind === 'release' ? 0 : null;
      const { outcome, observedAssets } = entry;
      if (outcome.startsWith('complete_') && observedAssets === null) return null;
      return settlementOf({
        reserved: open.amount,
        product: open.productCode,
        prices,
        outcome,
        observedAssets,
      }).charged;
    }
    default:
      return null;
  }
}

type Problems = (string | false)[];

/** A month begins with what is due then, once, and with nothing before it. */
function openingProblems(account: Account, entry: Entry): Problems {
  const due = dueOpening(periodStateOf(account), entry.at);
  if (entry.kind !== 'expire' && entry.kind !== 'allowance') {
    return [due !== null && 'month opening missing'];
  }
  const isDue =
    due?.kind === entry.kind &&
    due.commandId === entry.commandId &&
    entry.asset === 'units' &&
    areEqual(openingMovement(due), entry.change);
  return [!isDue && 'month opening not due'];
}

/** Units released or refunded into a past month expire; nothing else does. */
function periodProblems(open: Hold | undefined, entry: Entry): Problems {
  const { kind, change } = entry;
  const resolves = kind === 'settle' || kind === 'release';
  if (!resolves && kind !== 'reverse') {
    return [entry.pastPeriod !== null && 'past period without a hold or charge of one'];
  }
  const expires = entry.asset === 'units' && entry.pastPeriod !== null;
  const misplaced = expires ? change.available : change.expired;
  const isOtherPeriod =
    resolves &&
    open !== undefined &&
    pastPeriod(open.reservedAt, entry.at) !== entry.pastPeriod &&
    'hold period missing';
  return [
    misplaced !== 0 && 'released units of a past period are not expired, or current ones are',
    isOtherPeriod,
  ];
}

/** Whether the account's funding, caps and alert were kept. */
function termsProblems(account: Account, entry: Entry): Problems {
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const credits = entry.asset === 'units' ? balances.credits.available : null;
  return [
    entry.creditsAvailable !== credits && 'available credits missing or wrong',
    !isExpectedAlert(account, entry) && 'low-balance alert missing or unexpected',
    ...purchaseProblems(account, entry),
  ];
}

function isExpectedAlert(account: Account, entry: Entry): boolean {
  const isOpening = entry.kind === 'expire' || entry.kind === 'allowance';
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const expected = isOpening ? null : crossedAlert(account.terms, entry, balances);
  const { lowBalance } = entry;
  return (
    expected?.threshold === lowBalance?.threshold && expected?.available === lowBalance?.available
  );
}

function purchaseProblems(account: Account, entry: Entry): Problems {
  const { kind, change, projectId, at } = entry;
  if (kind !== 'reserve' && kind !== 'charge') return [];
  const required = kind === 'reserve' ? change.held : change.consumed;
  return [
    entry.asset !== fundingAsset(account.terms.funding) && 'asset does not match the funding',
    projectId !== null &&
      capRefusal(account, { projectId, required, at }) !== null &&
      'exceeds the spend cap of its Project',
  ];
}
