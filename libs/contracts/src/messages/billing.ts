import { z } from 'zod';
import { accountId, projectId, refreshId, requestId, waitingId } from '../ids.ts';
import { retryAfterSeconds } from '../internal/refresh.ts';
import { billingRefusal } from '../refusal.ts';
import {
  isHeldProduct,
  ledgerAsset,
  productCode,
  refreshOutcome,
  settlementDisposition,
} from '../vocabulary.ts';

/**
 * Ids of billing commands are derived, so that a re-sent command is the same command. Each contract
 * below validates it: the ledger detects duplicates by this id alone.
 */
export const billingCommandId = {
  reserve: (id: string) => `reserve:${id}`,
  settle: (id: string) => `settle:${id}`,
  release: (id: string) => `release:${id}`,
  charge: (id: string) => `charge:${id}`,
  reverse: (id: string) => `reverse:${id}`,
  grant: (id: string) => `grant:${id}`,
  adjust: (id: string) => `adjust:${id}`,
  configure: (id: string) => `configure:${id}`,
} as const;

const common = { command_id: z.string().min(1).max(300), account_id: accountId };

const mustBe = (form: string) => ({ path: ['command_id'], message: `must be ${form}` });

/** Hold the reservation of a refresh. The ledger decides the amount from its price list. */
export const billingReserve = z
  .object({
    ...common,
    project_id: projectId,
    refresh_id: refreshId,
    request_id: requestId,
    product_code: productCode,
    /** Upper bound of the hold. */
    max_credits: z.int().min(1),
    /** When the refresh's time in the queue ends; returned with the hold to the pending request. */
    deadline_at: z.iso.datetime(),
    /** Seconds until its status is worth a read; returned likewise. */
    retry_after_seconds: retryAfterSeconds,
  })
  .refine(
    (body) => body.command_id === billingCommandId.reserve(body.refresh_id),
    mustBe('reserve:<refresh_id>'),
  )
  .refine((body) => isHeldProduct(body.product_code), {
    path: ['product_code'],
    message: 'must be a refresh or a run of a watch: a page is charged without a hold',
  });

/** Resolve the hold of a terminal refresh; the ledger computes the price from the outcome. */
export const billingSettle = z
  .object({
    ...common,
    project_id: projectId,
    refresh_id: refreshId,
    outcome: refreshOutcome,
    /** Assets after deduplication; null unless the scan was complete. */
    observed_assets: z.int().min(0).nullable(),
  })
  .refine(
    (body) => body.command_id === billingCommandId.settle(body.refresh_id),
    mustBe('settle:<refresh_id>'),
  )
  .refine((body) => !body.outcome.startsWith('complete_') || body.observed_assets !== null, {
    path: ['observed_assets'],
    message: 'must be given for a complete scan: it is what the price is computed from',
  });

/** Release the hold of a refresh that was refused or does not exist. */
export const billingRelease = z
  .object({ ...common, project_id: projectId, refresh_id: refreshId })
  .refine(
    (body) => body.command_id === billingCommandId.release(body.refresh_id),
    mustBe('release:<refresh_id>'),
  );

/** Pages of one charge at most: those of the largest export. */
const chargePagesMax = 1_000_000;

/** Charge one page read, or as many pages as an export has. Ids are per attempt. */
export const billingCharge = z
  .object({
    ...common,
    project_id: projectId,
    request_id: requestId,
    product_code: productCode,
    /** One where absent. */
    page_count: z.int().min(1).max(chargePagesMax).optional(),
  })
  .refine(
    (body) => body.command_id === billingCommandId.charge(body.request_id),
    mustBe('charge:<request_id>'),
  )
  .refine((body) => !isHeldProduct(body.product_code), {
    path: ['product_code'],
    message: 'must be a page: a refresh is paid from its hold',
  });

/** Reverse the charge of a page that was not delivered; a reversal before the charge prevents it. */
export const billingReverse = z
  .object({ ...common, project_id: projectId, request_id: requestId })
  .refine(
    (body) => body.command_id === billingCommandId.reverse(body.request_id),
    mustBe('reverse:<request_id>'),
  );

/** Add credits or units to an account (operator). */
export const billingGrant = z
  .object({
    ...common,
    request_id: requestId,
    asset: ledgerAsset,
    amount: z.int().min(1).max(1_000_000_000_000),
    reason: z.string().min(1).max(500),
  })
  .refine(
    (body) => body.command_id.startsWith(billingCommandId.grant('')),
    mustBe('grant:<idempotency key>'),
  );

/** Correct an account's available amount by a signed number (operator). */
export const billingAdjust = z
  .object({
    ...common,
    request_id: requestId,
    asset: ledgerAsset,
    amount: z.int().min(-1_000_000_000_000).max(1_000_000_000_000),
    reason: z.string().min(1).max(500),
  })
  .refine(
    (body) => body.command_id.startsWith(billingCommandId.adjust('')),
    mustBe('adjust:<idempotency key>'),
  );

const amountMax = 1_000_000_000_000;

/** The one setting that a `configure` changes. */
export const billingConfiguration = z.discriminatedUnion('sets', [
  z.object({
    sets: z.literal('funding'),
    funding: z.discriminatedUnion('mode', [
      z.object({ mode: z.literal('credits') }),
      z.object({ mode: z.literal('subscription'), units_per_month: z.int().min(1).max(amountMax) }),
    ]),
  }),
  /** Credits or units a Project may spend in a UTC month; null for no cap. */
  z.object({
    sets: z.literal('spend_cap'),
    project_id: projectId,
    cap: z.int().min(0).max(amountMax).nullable(),
  }),
  /** Alert when less than this is available; null for no alert. */
  z.object({
    sets: z.literal('balance_alert'),
    threshold: z.int().min(1).max(amountMax).nullable(),
  }),
]);
export type BillingConfiguration = z.infer<typeof billingConfiguration>;

/** Change the funding of an account, the spend cap of a Project, or the balance alert. */
export const billingConfigure = z
  .object({
    ...common,
    request_id: requestId,
    change: billingConfiguration,
    reason: z.string().min(1).max(500).nullable(),
  })
  .refine(
    (body) => body.command_id.startsWith(billingCommandId.configure('')),
    mustBe('configure:<idempotency key>'),
  );

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

/** A billing outcome, for the HTTP request that waits for it. */
export const billingOutcomeReply = z.object({
  waiting_id: waitingId,
  /** Null where nothing was decided: the account is in quarantine. */
  outcome: billingOutcome.nullable(),
  /** As the reserve said them. */
  deadline_at: z.iso.datetime().optional(),
  retry_after_seconds: retryAfterSeconds.optional(),
});
