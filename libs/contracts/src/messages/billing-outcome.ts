import { z } from 'zod';
import { accountId, projectId, refreshId, requestId } from '../ids.ts';
import { billingRefusal } from '../refusal.ts';
import { ledgerAsset, productCode, settlementDisposition } from '../vocabulary.ts';

/**
 * What one journaled entry did, refusals included. Sent again, unchanged, whenever its command
 * arrives again.
 */
export const billingOutcome = z.object({
  command_id: z.string(),
  /** `expire` and `allowance` begin a month of subscription units; no command requests them. */
  kind: z.enum([
    'reserve',
    'settle',
    'release',
    'charge',
    'reverse',
    'grant',
    'adjust',
    'configure',
    'expire',
    'allowance',
  ]),
  result: z.enum(['applied', 'refused']),
  refusal: billingRefusal.nullable(),
  account_id: accountId,
  project_id: projectId.nullable(),
  refresh_id: refreshId.nullable(),
  request_id: requestId.nullable(),
  /** Position of the entry in the account's journal, from 1. */
  seq: z.int().min(1),
  at: z.iso.datetime(),
  asset: ledgerAsset,
  product_code: productCode.nullable(),
  price_version: z.int().nullable(),
  /**
   * Credits or units this entry reserved, charged and released; 0 where it did not. What is
   * released into a month that is over expires.
   */
  amount_reserved: z.int().min(0),
  amount_charged: z.int().min(0),
  amount_released: z.int().min(0),
  disposition: settlementDisposition.nullable(),
  /** The account after this entry: total = held + available. */
  balance: z.object({ total: z.int(), held: z.int(), available: z.int() }),
  /** Where `asset` is units: the prepaid credits, which it left untouched. */
  credits_available: z.int().optional(),
});
export type BillingOutcome = z.infer<typeof billingOutcome>;

/** What an applied reserve holds: of which asset, how much, and what the account has left of it. */
export function heldBy({ price_version, asset, amount_reserved, balance }: BillingOutcome) {
  return {
    priceVersion: price_version ?? 0,
    asset,
    amount: amount_reserved,
    available: balance.available,
  };
}

/** Less than the threshold is available, for the first time since it was not. */
export const billingBalanceLow = z.object({
  account_id: accountId,
  threshold: z.int().min(1),
  available: z.int().min(0),
  /** The entry that crossed the threshold. */
  entry_seq: z.int().min(1),
  at: z.iso.datetime(),
});
