import type { CredentialId, ProjectId } from '@inventory/contracts/ids';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import type { LedgerAsset, PageProduct, ProductCode } from '@inventory/contracts/vocabulary';
import {
  applyEntry,
  holdsAfter,
  type LedgerAccount,
  withBalances,
} from '../accounts/account.domain.ts';
import { areEqual, isConserved, isSolvent, plus } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { findHold, type Hold, type HoldSet } from '../accounts/hold-set.domain.ts';
import { fitsTemplate } from '../accounts/movement.domain.ts';
import { dueOpening, openingMovement, periodStateOf } from '../accounts/open-period.domain.ts';
import { pastPeriod } from '../accounts/period.domain.ts';
import { capRefusal, spendAfter } from '../accounts/spend.domain.ts';
import { crossedAlert, fundingAsset, termsAfter } from '../accounts/terms.domain.ts';
import { type PriceBook, pagePrice, priceTime } from '../prices/price-list.domain.ts';
import { settlementOf } from '../prices/settlement.domain.ts';

/** What an entry is judged by beside its account. */
export interface EntryContext {
  readonly prices: PriceBook;
  /** The entry that decided the charge which a reversal names, if there is one. */
  readonly charge: Entry | undefined;
}

/**
 * What is wrong with an entry as the next one of an account; nothing when it is sound. Says of
 * each rule on its own whether it holds, so that one fault shows as itself.
 */
export function entryProblems(
  account: LedgerAccount,
  entry: Entry,
  { prices, charge }: EntryContext,
): string[] {
  const open = findOpen(account, entry);
  const before = account.balances[entry.asset];
  const after = plus(before, entry.change);
  return [
    entry.seq !== account.lastSeq + 1 && `does not follow position ${account.lastSeq}`,
    entry.atMs < account.lastAtMs && 'time is before the previous entry',
    !isConserved(entry.change) && 'movement does not net to zero',
    !fitsTemplate(entry.kind, entry.change) && `movement is not one of a ${entry.kind}`,
    !areEqual(after, entry.after) && 'balances are not the previous ones plus the movement',
    !isConserved(entry.after) && 'balances do not add up to what was issued',
    !isSolvent(entry.after) && 'balance is negative or inexact',
    (entry.kind === 'refuse') !== (entry.refusal !== null) && 'refusal code missing or unexpected',
    (entry.kind === 'configure') !== (entry.configured !== null) &&
      'configuration missing or unexpected',
    !isOfItsSubject(entry) && 'command id does not match its subject',
    ...openingProblems(account, entry),
    entry.kind === 'reserve' && open !== undefined && 'refresh has an open hold already',
    ...endProblems(entry, entry.kind === 'reverse' ? madeBy(charge, entry) : open && heldBy(open)),
    ...periodProblems(entry),
    ...termsProblems(account, entry),
    ...priceProblems(open, entry, prices),
  ].filter((problem) => problem !== false);
}

/** The account after an entry, taking the entry's word where it does not follow. */
export function adoptEntry(account: LedgerAccount, entry: Entry): LedgerAccount {
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
    lastAtMs: entry.atMs,
    balances,
    holds: adoptHolds(account, entry),
    terms: termsAfter(account.terms, entry, balances),
    spend: spendAfter(account.spend, entry),
  };
}

function adoptHolds(account: LedgerAccount, entry: Entry): HoldSet {
  try {
    return holdsAfter(account.holds, entry);
  } catch {
    return account.holds;
  }
}

function findOpen(account: LedgerAccount, entry: Entry): Hold | undefined {
  return entry.refreshId === null ? undefined : findHold(account.holds, entry.refreshId);
}

/** The sender derives the id of such a command from what it is about. */
function isOfItsSubject({ command, commandId, refreshId, requestId }: Entry): boolean {
  switch (command) {
    case 'reserve':
    case 'settle':
    case 'release':
      return commandId === `${command}:${refreshId}`;
    case 'charge':
    case 'reverse':
      return commandId === `${command}:${requestId}`;
    default:
      return true;
  }
}

/** What a hold or charge leaves to the entry that ends it. */
interface Made {
  readonly asset: LedgerAsset;
  readonly amount: number;
  readonly priceVersion: number | null;
  readonly productCode: ProductCode | null;
  readonly projectId: ProjectId | null;
  readonly credentialId: CredentialId | null;
  readonly atMs: number;
}

function heldBy({ reservedAtMs, ...hold }: Hold): Made {
  return { ...hold, atMs: reservedAtMs };
}

/** A charge that came before its reversal. */
function madeBy(charge: Entry | undefined, { seq }: Entry): Made | undefined {
  if (charge?.kind !== 'charge' || charge.seq >= seq) return undefined;
  return { ...charge, amount: charge.change.consumed };
}

/** Whether a resolution or reversal ends exactly what was held or charged. */
function endProblems(entry: Entry, made: Made | undefined): Problems {
  const { kind, change } = entry;
  const isReversal = kind === 'reverse';
  if (!isReversal && kind !== 'settle' && kind !== 'release') return [];
  const noun = isReversal ? 'charge' : 'hold';
  if (made === undefined) return [`ends a ${noun} that is not open`];
  const ended = 0 - (isReversal ? change.consumed : change.held);
  return [
    made.amount !== ended &&
      (isReversal
        ? 'does not return exactly what was charged'
        : 'does not resolve exactly what was reserved'),
    made.asset !== entry.asset && `ends a ${noun} in another asset`,
    made.priceVersion !== entry.priceVersion && `ends a ${noun} at other prices`,
    made.productCode !== entry.productCode && `ends a ${noun} of another product`,
    made.projectId !== entry.projectId && `ends a ${noun} of another Project`,
    // An earlier version ends it without one.
    entry.credentialId !== null &&
      made.credentialId !== entry.credentialId &&
      `ends a ${noun} of another Credential`,
    pastPeriod(made.atMs, entry.atMs) !== entry.pastPeriod &&
      `period of its ${noun} missing or wrong`,
  ];
}

function priceProblems(open: Hold | undefined, entry: Entry, book: PriceBook): Problems {
  const { command, kind, change, priceVersion, atMs, pricedAtMs } = entry;
  const isPurchase = command === 'reserve' || command === 'charge';
  if (!isPurchase && pricedAtMs !== null) return ['time of a price without a purchase'];
  if (!isPurchase && priceVersion === null) return [];
  const prices = priceVersion === null ? undefined : book.byVersion(priceVersion);
  if (prices === undefined) return ['its price list is unknown'];
  const price = expectedPrice(open, entry, prices);
  const charged = kind === 'reserve' ? change.held : change.consumed;
  return [
    // A resolution and a reversal keep the list of what they end.
    isPurchase && book.activeAt(pricedAtMs ?? atMs) !== prices && 'its price list was not in force',
    pricedAtMs !== null &&
      priceTime(pricedAtMs, atMs) !== pricedAtMs &&
      'time of its price is not possible',
    price === null && 'price cannot be computed',
    typeof price === 'number' &&
      charged !== price &&
      `amount is ${charged}, its price list gives ${price}`,
  ];
}

/** Undefined where the entry has no price of its own, null where it misses what it is paid for. */
function expectedPrice(
  open: Hold | undefined,
  entry: Entry,
  prices: PriceList,
): number | null | undefined {
  switch (entry.kind) {
    case 'reserve':
      return Math.min(prices.refreshReservation, entry.maxCredits ?? Number.POSITIVE_INFINITY);
    case 'charge':
      return (entry.pageCount ?? 1) * pagePrice(prices, entry.productCode as PageProduct);
    case 'settle':
    case 'release': {
      const { outcome, observedAssets } = entry;
      if (!open) return undefined;
      if (outcome === null) return entry.kind === 'release' ? 0 : null;
      if (outcome.startsWith('complete_') && observedAssets === null) return null;
      const { amount: reserved, productCode: product } = open;
      return settlementOf({ reserved, product, prices, outcome, observedAssets }).charged;
    }
    default:
      return undefined;
  }
}

type Problems = (string | false)[];

/** A month begins with what is due then, once, and with nothing before it. */
function openingProblems(account: LedgerAccount, entry: Entry): Problems {
  const due = dueOpening(periodStateOf(account), entry.atMs);
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
function periodProblems({ kind, asset, change, pastPeriod: past }: Entry): Problems {
  if (kind !== 'settle' && kind !== 'release' && kind !== 'reverse') {
    return [past !== null && 'past period without a hold or charge of one'];
  }
  const misplaced = asset === 'units' && past !== null ? change.available : change.expired;
  return [
    misplaced !== 0 && 'released units of a past period are not expired, or current ones are',
  ];
}

/** Whether the account's funding, caps and alert were kept. */
function termsProblems(account: LedgerAccount, entry: Entry): Problems {
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const credits = entry.asset === 'units' ? balances.credits.available : null;
  return [
    entry.creditsAvailable !== credits && 'available credits missing or wrong',
    !isExpectedAlert(account, entry) && 'low-balance alert missing or unexpected',
    ...purchaseProblems(account, entry),
  ];
}

function isExpectedAlert(account: LedgerAccount, entry: Entry): boolean {
  const isOpening = entry.kind === 'expire' || entry.kind === 'allowance';
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const expected = isOpening ? null : crossedAlert(account.terms, entry, balances);
  const { lowBalance } = entry;
  return (
    expected?.threshold === lowBalance?.threshold && expected?.available === lowBalance?.available
  );
}

function purchaseProblems(account: LedgerAccount, entry: Entry): Problems {
  const { kind, change, projectId, credentialId, atMs } = entry;
  if (kind !== 'reserve' && kind !== 'charge') return [];
  const required = kind === 'reserve' ? change.held : change.consumed;
  const capped = projectId && capRefusal(account, { projectId, credentialId, required, atMs });
  return [
    entry.asset !== fundingAsset(account.terms.funding) && 'asset does not match the funding',
    capped !== null && `exceeds the spend cap of its ${capped?.detail.scope}`,
  ];
}
