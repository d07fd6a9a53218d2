import type { PriceBook } from '../prices/price-list.domain.ts';
import { type Settlement, settlementOf } from '../prices/settlement.domain.ts';
import type { Account } from './account.domain.ts';
import {
  type ReleaseCommand,
  type ReserveCommand,
  reservationKey,
  type SettleCommand,
} from './command.domain.ts';
import {
  type Decision,
  type EvaluationContext,
  purchaseRefusal,
  refuse,
} from './decision.domain.ts';
import { findHold, type Hold } from './hold-set.domain.ts';
import { hold as holdMovement, resolve } from './movement.domain.ts';
import { pastPeriod } from './period.domain.ts';
import { fundingAsset } from './terms.domain.ts';

/**
 * Holds the most a refresh can cost, in what the account pays with now: the reservation of the
 * price list, or `max_credits` where that is less.
 */
export function decideReserve(
  account: Account,
  command: ReserveCommand,
  at: number,
  context: Pick<EvaluationContext, 'prices'>,
): Decision {
  const prices = context.prices.activeAt(at);
  const asset = fundingAsset(account.terms.funding);
  const { maxCredits, productCode, projectId, refreshId, requestId } = command;
  const isLimited = maxCredits < prices.refreshReservation;
  const required = isLimited ? maxCredits : prices.refreshReservation;
  const details = {
    asset,
    productCode,
    priceVersion: prices.version,
    projectId,
    refreshId,
    requestId,
    maxCredits: isLimited ? maxCredits : null,
  };
  const refusal = purchaseRefusal(account, { projectId, required, at });
  if (refusal) return refuse(details, refusal);
  return { ...details, kind: 'reserve', change: holdMovement(required) };
}

/**
 * Ends a hold, in the asset and at the prices it was made in; units that are released into a month
 * that is over expire. The hold is found by its refresh alone. Where there is none there never will
 * be one: the refusal also precludes the reservation, unless that was answered (refused) before.
 */
export function decideResolution(
  account: Account,
  command: SettleCommand | ReleaseCommand,
  at: number,
  context: Pick<EvaluationContext, 'prices' | 'recorded'>,
): Decision {
  const { refreshId } = command;
  const hold = findHold(account.holds, refreshId);
  if (!hold) {
    const reservation = reservationKey(refreshId);
    const precludes = context.recorded(reservation) ? null : reservation;
    const asset = fundingAsset(account.terms.funding);
    const details = { asset, projectId: command.projectId, refreshId, precludes };
    return refuse(details, { code: 'hold_unknown' });
  }
  const settlement = settlementFor(hold, command, context.prices);
  const { disposition, charged, released } = settlement;
  const past = pastPeriod(hold.reservedAt, at);
  return {
    kind: disposition === 'release' ? 'release' : 'settle',
    asset: hold.asset,
    change: resolve(charged, released, hold.asset === 'units' && past !== null),
    pastPeriod: past,
    productCode: hold.productCode,
    priceVersion: hold.priceVersion,
    projectId: hold.projectId,
    refreshId,
    outcome: command.kind === 'settle' ? command.outcome : null,
    observedAssets: command.kind === 'settle' ? command.observedAssets : null,
    disposition,
  };
}

function settlementFor(
  hold: Hold,
  command: SettleCommand | ReleaseCommand,
  book: PriceBook,
): Settlement {
  if (command.kind === 'release') {
    return { disposition: 'release', charged: 0, released: hold.amount };
  }
  const prices = book.byVersion(hold.priceVersion);
  if (!prices) throw new RangeError(`price list ${hold.priceVersion} is missing`);
  const { outcome, observedAssets } = command;
  return settlementOf({
    reserved: hold.amount,
    product: hold.productCode,
    prices,
    outcome,
    observedAssets,
  });
}
