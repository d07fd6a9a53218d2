import type { Account } from './account.ts';
import { type ChargeCommand, chargeKey, type ReverseCommand } from './command.ts';
import { type Decision, refusal, refuse } from './decision.ts';
import type { EvaluationContext } from './evaluation-context.ts';
import { insufficientCode } from './funding.ts';
import { consume, giveBack } from './movement.ts';
import { pagePrice } from './price-list.ts';

/** Charges one page read, or refuses it when the account cannot pay it in full. */
export function decideCharge(
  account: Account,
  command: ChargeCommand,
  at: number,
  context: Pick<EvaluationContext, 'prices' | 'funding'>,
): Decision {
  const prices = context.prices.activeAt(at);
  const asset = context.funding;
  const required = pagePrice(prices, command.productCode);
  const { available } = account.balances[asset];
  const { productCode, projectId, requestId } = command;
  const details = { asset, productCode, priceVersion: prices.version, projectId, requestId };
  if (available < required) {
    return refuse(details, refusal(insufficientCode(asset), { required, available }));
  }
  return { ...details, kind: 'charge', change: consume(required) };
}

/**
 * Gives back one charge in full, in the asset it was paid in. Without a charge there is nothing to
 * give back, and the refusal precludes the charge: one that arrives later is refused.
 */
export function decideReverse(
  command: ReverseCommand,
  context: Pick<EvaluationContext, 'funding' | 'recorded'>,
): Decision {
  const { projectId, requestId } = command;
  const key = chargeKey(requestId);
  const charge = context.recorded(key);
  if (charge?.kind !== 'charge') {
    const precludes = charge ? null : key;
    const details = { asset: context.funding, projectId, requestId, precludes };
    return refuse(details, refusal('charge_unknown'));
  }
  return {
    kind: 'reverse',
    asset: charge.asset,
    change: giveBack(charge.change.consumed),
    productCode: charge.productCode,
    priceVersion: charge.priceVersion,
    projectId: charge.projectId,
    requestId,
  };
}
