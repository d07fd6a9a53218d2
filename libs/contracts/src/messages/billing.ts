import { z } from 'zod';
import { accountId, credentialId, projectId, refreshId, requestId, waitingId } from '../ids.ts';
import { retryAfterSeconds } from '../internal/refresh.ts';
import { billingRefusal } from '../refusal.ts';
import {
  heldProducts,
  ledgerAsset,
  pageProducts,
  productCode,
  refreshOutcome,
  settlementDisposition,
} from '../vocabulary.ts';
import { orNull, time, wire } from '../wire.ts';

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

const common = { commandId: z.string().min(1).max(300), accountId };

const mustBe = (form: string) => ({ path: ['command_id'], message: `must be ${form}` });

/** The Credential whose spend cap a purchase counts against, beside the Project's. */
const byCredential = orNull(credentialId);

/** Hold the reservation of a refresh. The ledger decides the amount from its price list. */
export const billingReserve = wire({
  ...common,
  projectId,
  credentialId: byCredential,
  refreshId,
  requestId,
  productCode: z.enum(
    heldProducts,
    'must be a refresh or a run of a watch: a page is charged without a hold',
  ),
  /** Upper bound of the hold. */
  maxCredits: z.int().min(1),
  /** When the refresh's time in the queue ends; returned with the hold to the pending request. */
  deadlineAtMs: time,
  /** Seconds until its status is worth a read; returned likewise. */
  retryAfterSeconds,
}).refine(
  (body) => body.commandId === billingCommandId.reserve(body.refreshId),
  mustBe('reserve:<refresh_id>'),
);

/** Resolve the hold of a terminal refresh; the ledger computes the price from the outcome. */
export const billingSettle = wire({
  ...common,
  projectId,
  refreshId,
  outcome: refreshOutcome,
  /** Assets after deduplication; null unless the scan was complete. */
  observedAssets: z.int().min(0).nullable(),
})
  .refine(
    (body) => body.commandId === billingCommandId.settle(body.refreshId),
    mustBe('settle:<refresh_id>'),
  )
  .refine((body) => !body.outcome.startsWith('complete_') || body.observedAssets !== null, {
    path: ['observed_assets'],
    message: 'must be given for a complete scan: it is what the price is computed from',
  });

/** Release the hold of a refresh that was refused or does not exist. */
export const billingRelease = wire({ ...common, projectId, refreshId }).refine(
  (body) => body.commandId === billingCommandId.release(body.refreshId),
  mustBe('release:<refresh_id>'),
);

/** Pages of one charge at most: those of the largest export. */
const chargePagesMax = 1_000_000;

/** Charge one page read, or as many pages as an export has. Ids are per attempt. */
export const billingCharge = wire({
  ...common,
  projectId,
  credentialId: byCredential,
  requestId,
  productCode: z.enum(pageProducts, 'must be a page: a refresh is paid from its hold'),
  /** One where it is null. */
  pageCount: orNull(z.int().min(1).max(chargePagesMax)),
}).refine(
  (body) => body.commandId === billingCommandId.charge(body.requestId),
  mustBe('charge:<request_id>'),
);

/** Reverse the charge of a page that was not delivered; a reversal before the charge prevents it. */
export const billingReverse = wire({ ...common, projectId, requestId }).refine(
  (body) => body.commandId === billingCommandId.reverse(body.requestId),
  mustBe('reverse:<request_id>'),
);

const amountMax = 1_000_000_000_000;

/** Add credits or units to an account (operator). */
export const billingGrant = wire({
  ...common,
  requestId,
  asset: ledgerAsset,
  amount: z.int().min(1).max(amountMax),
  reason: z.string().min(1).max(500),
}).refine(
  (body) => body.commandId.startsWith(billingCommandId.grant('')),
  mustBe('grant:<idempotency key>'),
);

/** Correct an account's available amount by a signed number (operator). */
export const billingAdjust = wire({
  ...common,
  requestId,
  asset: ledgerAsset,
  amount: z.int().min(-amountMax).max(amountMax),
  reason: z.string().min(1).max(500),
}).refine(
  (body) => body.commandId.startsWith(billingCommandId.adjust('')),
  mustBe('adjust:<idempotency key>'),
);

const funding = z.discriminatedUnion('mode', [
  wire({ mode: z.literal('credits') }),
  wire({ mode: z.literal('subscription'), unitsPerMonth: z.int().min(1).max(amountMax) }),
]);
/** How an account pays: one mode at a time. */
export type FundingSetting = z.output<typeof funding>;

/** The one setting that a `configure` changes; everything else about the account stays as it is. */
const billingConfiguration = z.discriminatedUnion('sets', [
  wire({ sets: z.literal('funding'), funding }),
  /** Credits or units a Project may spend in a UTC month; null for no cap. */
  wire({
    sets: z.literal('spend_cap'),
    projectId,
    cap: z.int().min(0).max(amountMax).nullable(),
  }),
  /** The same of what is bought by a Credential. */
  wire({
    sets: z.literal('credential_spend_cap'),
    credentialId,
    cap: z.int().min(0).max(amountMax).nullable(),
  }),
  /** Alert when less than this is available; null for no alert. */
  wire({
    sets: z.literal('balance_alert'),
    threshold: z.int().min(1).max(amountMax).nullable(),
  }),
]);
export type BillingConfiguration = z.output<typeof billingConfiguration>;

/** Change the funding of an account, the spend cap of a Project or a Credential, or the balance alert. */
export const billingConfigure = wire({
  ...common,
  requestId,
  change: billingConfiguration,
  reason: z.string().min(1).max(500).nullable(),
}).refine(
  (body) => body.commandId.startsWith(billingCommandId.configure('')),
  mustBe('configure:<idempotency key>'),
);

/** The bodies of the commands, by their kind. */
export interface BillingCommands {
  readonly reserve: z.output<typeof billingReserve>;
  readonly settle: z.output<typeof billingSettle>;
  readonly release: z.output<typeof billingRelease>;
  readonly charge: z.output<typeof billingCharge>;
  readonly reverse: z.output<typeof billingReverse>;
  readonly grant: z.output<typeof billingGrant>;
  readonly adjust: z.output<typeof billingAdjust>;
  readonly configure: z.output<typeof billingConfigure>;
}

/**
 * What one journaled entry did, refusals included. Sent again, unchanged, whenever its command
 * arrives again.
 */
export const billingOutcome = wire({
  commandId: z.string(),
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
  accountId,
  projectId: projectId.nullable(),
  refreshId: refreshId.nullable(),
  requestId: requestId.nullable(),
  /** Position of the entry in the account's journal, from 1. */
  seq: z.int().min(1),
  atMs: time,
  asset: ledgerAsset,
  productCode: productCode.nullable(),
  priceVersion: z.int().nullable(),
  /**
   * Credits or units this entry reserved, charged and released; 0 where it did not. What is
   * released into a month that is over expires.
   */
  amountReserved: z.int().min(0),
  amountCharged: z.int().min(0),
  amountReleased: z.int().min(0),
  disposition: settlementDisposition.nullable(),
  /** The account after this entry: total = held + available. */
  balance: z.object({ total: z.int(), held: z.int(), available: z.int() }),
  /** Where `asset` is units: the prepaid credits, which it left untouched. */
  creditsAvailable: orNull(z.int()),
});
export type BillingOutcome = z.output<typeof billingOutcome>;

/** What an applied reserve holds: of which asset, how much, and what the account has left of it. */
export function heldBy({ priceVersion, asset, amountReserved, balance }: BillingOutcome) {
  return {
    priceVersion: priceVersion ?? 0,
    asset,
    amount: amountReserved,
    available: balance.available,
  };
}

/** Less than the threshold is available, for the first time since it was not. */
export const billingBalanceLow = wire({
  accountId,
  threshold: z.int().min(1),
  available: z.int().min(0),
  /** The entry that crossed the threshold. */
  entrySeq: z.int().min(1),
  atMs: time,
});

export type BillingBalanceLow = z.output<typeof billingBalanceLow>;

/** A billing outcome, for the HTTP request that waits for it. */
export const billingOutcomeReply = wire({
  waitingId,
  /** Null where nothing was decided: the account is in quarantine. */
  outcome: billingOutcome.nullable(),
  /** As the reserve said them. */
  deadlineAtMs: orNull(time),
  retryAfterSeconds: orNull(retryAfterSeconds),
});
