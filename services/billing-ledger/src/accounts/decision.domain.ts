import type { BillingRefusal, FundsRefusal } from '@inventory/contracts/refusal';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import { type PriceBook, pagePrice, priceTime } from '../prices/price-list.domain.ts';
import { type Settlement, settlementOf } from '../prices/settlement.domain.ts';
import type { LedgerAccount } from './account.domain.ts';
import { amountMax, type Balances } from './balances.domain.ts';
import { type CommandOf, chargeKey, commandKinds, reservationKey } from './command.domain.ts';
import type { Entry, EntryDetails } from './entry.domain.ts';
import { findHold, type Hold } from './hold-set.domain.ts';
import {
  consume,
  type EntryKind,
  hold as holdMovement,
  issue,
  nothingMoved,
  refund,
  resolve,
} from './movement.domain.ts';
import { pastPeriod } from './period.domain.ts';
import { capRefusal } from './spend.domain.ts';
import { fundingAsset, insufficientCode } from './terms.domain.ts';

interface Details extends Partial<EntryDetails> {
  readonly asset: LedgerAsset;
}

/** An entry without its position in the journal. */
export interface Decision extends Details {
  readonly kind: EntryKind;
  readonly change: Balances;
}

/** Nothing moves; the refusal is kept, so that the same command is refused for ever. */
function refuse(details: Details, refusal: BillingRefusal): Decision {
  return { ...details, kind: 'refuse', change: nothingMoved, refusal };
}

/** All that an evaluation depends on beside the account and its command. */
export interface EvaluationContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly prices: PriceBook;
  /**
   * The entry that is recorded for a command key, as far as it is known here. The journal refuses a
   * second entry for a key, so what is not known here is found out before anything is written.
   */
  readonly recorded: (key: string) => Entry | undefined;
}

/**
 * Why an account may not hold or pay so much now: too little is available of what it pays with, else
 * the spend cap of the Project or of its Credential. Null where it may.
 */
function purchaseRefusal(
  account: LedgerAccount,
  wanted: Parameters<typeof capRefusal>[1],
): FundsRefusal | null {
  const asset = fundingAsset(account.terms.funding);
  const { available } = account.balances[asset];
  const { required } = wanted;
  if (available < required)
    return { code: insufficientCode(asset), detail: { required, available } };
  return capRefusal(account, wanted);
}

/** The price list of a purchase, and what its entry states of it. */
function pricesOf({ writtenAtMs }: CommandOf<'reserve' | 'charge'>, atMs: number, book: PriceBook) {
  const pricedAtMs = priceTime(writtenAtMs, atMs);
  const prices = book.activeAt(pricedAtMs);
  const isOfEntry = prices === book.activeAt(atMs);
  return {
    prices,
    stated: { priceVersion: prices.version, pricedAtMs: isOfEntry ? null : pricedAtMs },
  };
}

/**
 * Holds the most a refresh can cost, in what the account pays with now: the reservation of the
 * price list, or `max_credits` where that is less.
 */
export function decideReserve(
  account: LedgerAccount,
  command: CommandOf<'reserve'>,
  atMs: number,
  context: EvaluationContext,
): Decision {
  const { prices, stated } = pricesOf(command, atMs, context.prices);
  const asset = fundingAsset(account.terms.funding);
  const { maxCredits, productCode, projectId, credentialId, refreshId, requestId } = command.body;
  const isLimited = maxCredits < prices.refreshReservation;
  const required = isLimited ? maxCredits : prices.refreshReservation;
  const details = {
    asset,
    productCode,
    ...stated,
    projectId,
    credentialId,
    refreshId,
    requestId,
    maxCredits: isLimited ? maxCredits : null,
  };
  const refusal = purchaseRefusal(account, { projectId, credentialId, required, atMs });
  if (refusal) return refuse(details, refusal);
  return { ...details, kind: 'reserve', change: holdMovement(required) };
}

/**
 * Ends a hold, in the asset and at the prices it was made in; units that are released into a month
 * that is over expire. The hold is found by its refresh alone. Where there is none there never will
 * be one: the refusal also precludes the reservation, unless that was decided (refused) before.
 */
export function decideResolution(
  account: LedgerAccount,
  command: CommandOf<'settle' | 'release'>,
  atMs: number,
  context: EvaluationContext,
): Decision {
  const { refreshId } = command.body;
  const hold = findHold(account.holds, refreshId);
  if (!hold) {
    const reservation = reservationKey(refreshId);
    const precludes = context.recorded(reservation) ? null : reservation;
    const asset = fundingAsset(account.terms.funding);
    const { projectId } = command.body;
    const details = { asset, projectId, refreshId, precludes };
    return refuse(details, { code: 'hold_unknown' });
  }
  const settlement = settlementFor(hold, command, context.prices);
  const { disposition, charged, released } = settlement;
  const past = pastPeriod(hold.reservedAtMs, atMs);
  return {
    kind: disposition === 'release' ? 'release' : 'settle',
    asset: hold.asset,
    change: resolve(charged, released, hold.asset === 'units' && past !== null),
    pastPeriod: past,
    productCode: hold.productCode,
    priceVersion: hold.priceVersion,
    projectId: hold.projectId,
    credentialId: hold.credentialId,
    refreshId,
    ...(command.type === 'billing.settle.v1' ? settledBy(command) : {}),
    disposition,
  };
}

/** What a settlement is computed from. */
function settledBy({ body: { outcome, observedAssets } }: CommandOf<'settle'>) {
  return { outcome, observedAssets };
}

function settlementFor(
  hold: Hold,
  { type, body }: CommandOf<'settle' | 'release'>,
  book: PriceBook,
): Settlement {
  if (type === 'billing.release.v1') {
    return { disposition: 'release', charged: 0, released: hold.amount };
  }
  const prices = book.byVersion(hold.priceVersion);
  if (!prices) throw new RangeError(`price list ${hold.priceVersion} is missing`);
  const { outcome, observedAssets } = body;
  return settlementOf({
    reserved: hold.amount,
    product: hold.productCode,
    prices,
    outcome,
    observedAssets,
  });
}

/** Charges a page read, or the pages of an export, or refuses it when the account cannot pay it in full. */
export function decideCharge(
  account: LedgerAccount,
  command: CommandOf<'charge'>,
  atMs: number,
  context: EvaluationContext,
): Decision {
  const { prices, stated } = pricesOf(command, atMs, context.prices);
  const asset = fundingAsset(account.terms.funding);
  const { productCode, projectId, credentialId, requestId } = command.body;
  const pageCount = command.body.pageCount ?? 1;
  const required = pageCount * pagePrice(prices, productCode);
  const details = {
    asset,
    productCode,
    ...stated,
    projectId,
    credentialId,
    requestId,
    pageCount: pageCount === 1 ? null : pageCount,
  };
  const refusal = purchaseRefusal(account, { projectId, credentialId, required, atMs });
  if (refusal) return refuse(details, refusal);
  return { ...details, kind: 'charge', change: consume(required) };
}

/**
 * Refunds one charge in full, in the asset it was paid in; units of a past month expire with it.
 * Without a charge nothing is refunded, and the refusal precludes the charge: one that arrives
 * later is refused.
 */
export function decideReverse(
  account: LedgerAccount,
  { body }: CommandOf<'reverse'>,
  atMs: number,
  context: EvaluationContext,
): Decision {
  const { projectId, requestId } = body;
  const key = chargeKey(requestId);
  const charge = context.recorded(key);
  if (charge?.kind !== 'charge') {
    const precludes = charge ? null : key;
    const asset = fundingAsset(account.terms.funding);
    const details = { asset, projectId, requestId, precludes };
    return refuse(details, { code: 'charge_unknown' });
  }
  const past = pastPeriod(charge.atMs, atMs);
  const expires = charge.asset === 'units' && past !== null;
  return {
    kind: 'reverse',
    asset: charge.asset,
    change: refund(charge.change.consumed, expires),
    pastPeriod: past,
    productCode: charge.productCode,
    priceVersion: charge.priceVersion,
    projectId: charge.projectId,
    credentialId: charge.credentialId,
    requestId,
  };
}

/** An operator's grant or adjustment. What is held or consumed already cannot be taken away. */
export function decideIssue(
  account: LedgerAccount,
  { type, body }: CommandOf<'grant' | 'adjust'>,
): Decision {
  const { asset, reason, requestId } = body;
  // A -0 of JSON becomes the 0 that it is stored as.
  const amount = body.amount + 0;
  const { available, issued } = account.balances[asset];
  const details = { asset, amount, reason, requestId };
  if (available + amount < 0) {
    const required = 0 - amount;
    return refuse(details, { code: insufficientCode(asset), detail: { required, available } });
  }
  if (issued + amount > amountMax) return refuse(details, { code: 'balance_limit_exceeded' });
  return { ...details, kind: commandKinds[type], change: issue(amount) };
}

/** Changes the account's terms. It moves nothing, and open holds end as they were made. */
export function decideConfigure(
  account: LedgerAccount,
  { body }: CommandOf<'configure'>,
): Decision {
  const { change: configured, reason, requestId } = body;
  const funding = configured.sets === 'funding' ? configured.funding : account.terms.funding;
  const asset = fundingAsset(funding);
  return { kind: 'configure', asset, change: nothingMoved, configured, reason, requestId };
}
