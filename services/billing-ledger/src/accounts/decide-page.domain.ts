import { pagePrice } from '../prices/price-list.domain.ts';
import type { Account } from './account.domain.ts';
import { type ChargeCommand, chargeKey, type ReverseCommand } from './command.domain.ts';
import {
  type Decision,
  type EvaluationContext,
  purchaseRefusal,
  refuse,
} from './decision.domain.ts';
import { consume, refund } from './movement.domain.ts';
import { pastPeriod } from './period.domain.ts';
import { fundingAsset } from './terms.domain.ts';

/** Charges a page read, or the pages of an export, or refuses it when the account cannot pay it in full. */
export function decideCharge(
  account: Account,
  command: ChargeCommand,
  at: number,
  context: Pick<EvaluationContext, 'prices'>,
): Decision {
  const prices = context.prices.activeAt(at);
  const asset = fundingAsset(account.terms.funding);
  const { productCode, projectId, requestId, pages } = command;
  const required = pages * pagePrice(prices, productCode);
  const details = {
    ...{ asset, productCode, priceVersion: prices.version, projectId, requestId },
    pages: pages === 1 ? null : pages,
  };
  const refusal = purchaseRefusal(account, { projectId, required, at });
  if (refusal) return refuse(details, refusal);
  return { ...details, kind: 'charge', change: consume(required) };
}

/**
 * Refunds one charge in full, in the asset it was paid in; units of a past month expire with it.
 * Without a charge nothing is refunded, and the refusal precludes the charge: one that arrives
 * later is refused.
 */
export function decideReverse(
  account: Account,
  command: ReverseCommand,
  at: number,
  context: Pick<EvaluationContext, 'recorded'>,
): Decision {
  const { projectId, requestId } = command;
  const key = chargeKey(requestId);
  const charge = context.recorded(key);
  if (charge?.kind !== 'charge') {
    const precludes = charge ? null : key;
    const asset = fundingAsset(account.terms.funding);
    const details = { asset, projectId, requestId, precludes };
    return refuse(details, { code: 'charge_unknown' });
  }
  const past = pastPeriod(charge.at, at);
  const expires = charge.asset === 'units' && past !== null;
  return {
    kind: 'reverse',
    asset: charge.asset,
    change: refund(charge.change.consumed, expires),
    pastPeriod: past,
    productCode: charge.productCode,
    priceVersion: charge.priceVersion,
    projectId: charge.projectId,
    requestId,
  };
}
