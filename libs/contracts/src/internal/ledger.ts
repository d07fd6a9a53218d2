import { z } from 'zod';
import { canonicalDecimal } from '../http/parameters.ts';
import { accountId, credentialId, projectId, refreshId, requestId } from '../ids.ts';
import { billingOutcome } from '../messages/billing.ts';
import { newPriceList, priceList, priceSchedule, priceVersionMax } from '../messages/price-list.ts';
import { fundingMode, ledgerAsset, productCode } from '../vocabulary.ts';
import { orNull, time, utcDay, wire } from '../wire.ts';
import { operationsFor } from './operations.ts';

/**
 * GET /accounts/{account_id}/balance: the current balance, from the newest entry of the journal; in a
 * new month of a subscription, with the units of that month. The asset that the account pays with is
 * always among the balances, the other one after its first use.
 */
export const balanceView = wire({
  accountId,
  asOfSeq: z.int().min(0),
  funding: fundingMode,
  balances: z.array(
    z.object({ asset: ledgerAsset, total: z.int(), held: z.int(), available: z.int() }),
  ),
});
export type BalanceView = z.output<typeof balanceView>;

const capFields = { cap: z.int().min(0), spent: z.int().min(0), resetsAtMs: time };
/** Without its owner. */
export const capUse = wire(capFields);
const spendCap = wire({ projectId, ...capFields });
const credentialSpendCap = wire({ credentialId, ...capFields });
export const spendCaps = z.array(spendCap);
export const credentialSpendCaps = z.array(credentialSpendCap);

const period = wire({ startsAtMs: time, endsAtMs: time });

export const creditFunding = wire({ mode: z.literal('credits') });
export const subscriptionFunding = wire({
  mode: z.literal('subscription'),
  unitsPerMonth: z.int().min(1),
  period: period.describe('The UTC month of the available units, which expire at its end.'),
  units: z.object({ total: z.int(), held: z.int(), available: z.int() }),
});

export const shownFunding = z.discriminatedUnion('mode', [creditFunding, subscriptionFunding]);
export const shownAlert = z.object({ threshold: z.int().min(1) }).nullable();

/** GET /accounts/{account_id}/terms: the current funding and limits of the account. */
export const accountTerms = wire({
  accountId,
  asOfSeq: z.int().min(0),
  funding: shownFunding,
  /** Spent: charges plus open holds of the UTC month, in credits or units alike. */
  spendCaps,
  /** None from a ledger of an earlier version. */
  credentialSpendCaps: credentialSpendCaps.default([]),
  balanceAlert: shownAlert,
});
export type AccountTerms = z.output<typeof accountTerms>;

/**
 * GET /accounts/{account_id}/funds?project_id=&credential_id=: what a purchase of the Project, by the
 * Credential, would meet now: the available balance of what the account pays with, and both caps.
 */
export const accountFunds = wire({
  accountId,
  asOfSeq: z.int().min(0),
  asset: ledgerAsset,
  available: z.int().min(0),
  spendCap: spendCap.nullable(),
  credentialSpendCap: orNull(credentialSpendCap),
});
export type AccountFunds = z.output<typeof accountFunds>;

/** Longest span of a usage report. */
export const usageDaysMax = 31;

export const usageItems = z.array(
  wire({
    day: utcDay,
    projectId,
    productCode,
    asset: ledgerAsset,
    count: z.int().min(0).describe('Pages charged and refreshes settled; releases do not count.'),
    charged: z.int().min(0),
    reversed: z
      .int()
      .min(0)
      .describe('Refunded for pages that were not delivered, on the day of the refund.'),
  }),
);

/**
 * GET /accounts/{account_id}/usage?from=&to=&project_id=: `from` and `to` are UTC days, both
 * included. Rows are ordered by day, Project, product and asset.
 */
export const usageReport = wire({
  /** The newest entry that is counted. */
  asOfSeq: z.int().min(0),
  items: usageItems,
});
export type UsageReport = z.output<typeof usageReport>;

export const holdView = wire({
  accountId,
  projectId,
  refreshId,
  asset: ledgerAsset,
  amount: z.int(),
  priceVersion: z.int(),
  reservedAtMs: time,
});
export type HoldView = z.output<typeof holdView>;

/** GET /accounts/{account_id}/holds and GET /holds?older_than_seconds=: oldest first. */
export const holdList = wire({
  /** Of GET /holds: all entries before this time are considered. */
  asOfMs: orNull(time),
  items: z.array(holdView),
});
export type HoldList = z.output<typeof holdList>;

/**
 * GET /accounts/{account_id}/outcomes?command_id=: the recorded outcomes of these commands, as their
 * messages state them; none of a command that is not journaled.
 */
export const outcomeList = z.object({ items: z.array(billingOutcome) });

export const statementRow = wire({
  entryId: z.string(),
  atMs: time,
  kind: z.string(),
  asset: ledgerAsset,
  changeAvailable: z.int(),
  changeHeld: z.int(),
  availableAfter: z.int(),
  heldAfter: z.int(),
  productCode: productCode.nullable(),
  priceVersion: z.int().nullable(),
  projectId: projectId.nullable(),
  refreshId: refreshId.nullable(),
  requestId: requestId.nullable(),
  reason: z.string().nullable(),
});
export type StatementRow = z.output<typeof statementRow>;

/** GET /accounts/{account_id}/statement?after_seq=&from=&to=&limit=: oldest first. */
export const statementPage = wire({
  items: z.array(statementRow),
  /** Position to continue after; null on the last page. */
  nextAfterSeq: z.int().nullable(),
});

/** POST /verify: every account is folded from its first entry. */
export const verifyReport = wire({
  ok: z.boolean(),
  startedAtMs: time,
  finishedAtMs: time,
  /** Accounts and entries that were verified. */
  accounts: z.int(),
  entries: z.int(),
  problems: z.array(wire({ accountId: z.string(), seq: z.int().nullable(), problem: z.string() })),
});
export type VerifyReport = z.output<typeof verifyReport>;

/** A list is published at least this long before it takes effect: every replica knows it by then. */
export const priceLeadMs = 120_000;
/** GET /price-lists: every published list, by version. */
export const priceLists = z.object({ items: z.array(priceList).max(priceVersionMax) });

/** An account of which no command is evaluated, because its journal does not add up. */
export const quarantinedAccount = wire({ accountId, sinceMs: time, detail: z.string() });
export type QuarantinedAccount = z.output<typeof quarantinedAccount>;

/** GET /quarantine: their commands go to the dead letters. */
export const quarantineList = wire({ accounts: z.array(quarantinedAccount) });

/** POST /quarantine/{account_id}/lift: `lifted` is false where it was not in quarantine. */
export const quarantineLifted = wire({ accountId, lifted: z.boolean() });

const rowsMax = 1_000;
const limit = z.coerce.number().int().min(1).max(rowsMax).default(100);
const path = wire({ accountId });

/** UTC days, both in the span. */
const usageQuery = wire({
  from: utcDay,
  to: utcDay,
  projectId: projectId.optional(),
})
  .refine(({ from, to }) => from <= to, { path: ['to'], message: 'must not be before from' })
  .refine(({ from, to }) => to - from < usageDaysMax, {
    path: ['to'],
    message: `must be at most ${usageDaysMax - 1} days after from`,
  });

const statementQuery = wire({
  afterSeq: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  /** Booked then or later, and before then. */
  from: time.optional(),
  to: time.optional(),
  limit,
});
const holdsQuery = wire({
  olderThanSeconds: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
  limit,
});
export const outcomesMax = 100;
const outcomesQuery = wire({ commandId: z.array(z.string()).max(outcomesMax) });
const priceListPath = z.object({ version: canonicalDecimal(1, priceVersionMax) });

const { get, put, post } = operationsFor(['gateway']);

/** The internal API of the billing-ledger. */
export const ledgerApi = {
  readBalance: get('/accounts/{account_id}/balance', { input: { path }, response: balanceView }),
  readTerms: get('/accounts/{account_id}/terms', { input: { path }, response: accountTerms }),
  readFunds: get('/accounts/{account_id}/funds', {
    input: { path, query: wire({ projectId, credentialId: orNull(credentialId) }) },
    response: accountFunds,
  }),
  listHolds: get('/accounts/{account_id}/holds', { input: { path }, response: holdList }),
  readStatement: get('/accounts/{account_id}/statement', {
    input: { path, query: statementQuery },
    response: statementPage,
  }),
  readUsage: get('/accounts/{account_id}/usage', {
    input: { path, query: usageQuery },
    response: usageReport,
    refusals: ['usage_too_large'],
  }),
  readOutcomes: operationsFor(['refresh-collector']).get('/accounts/{account_id}/outcomes', {
    input: { path, query: outcomesQuery },
    response: outcomeList,
  }),
  listOldHolds: operationsFor(['refresh-collector']).get('/holds', {
    input: { query: holdsQuery },
    response: holdList,
  }),
  verify: post('/verify', { input: {}, response: verifyReport }),
  listQuarantined: get('/quarantine', {
    input: { query: z.object({ limit }) },
    response: quarantineList,
  }),
  liftQuarantine: post('/quarantine/{account_id}/lift', {
    input: { path },
    response: quarantineLifted,
  }),
  /** The list in force, and the announced ones. */
  readPrices: get('/prices', { input: {}, response: priceSchedule }),
  listPriceLists: get('/price-lists', { input: {}, response: priceLists }),
  publishPriceList: put('/price-lists/{version}', {
    input: { path: priceListPath, body: newPriceList },
    response: priceList,
    refusals: ['price_version_conflict', 'effective_date_too_early'],
  }),
};
