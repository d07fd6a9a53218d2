import { z } from 'zod';
import { environment } from '../environment.ts';
import { accountId, credentialId, projectId, serviceAccountId } from '../ids.ts';
import {
  capUse,
  credentialSpendCaps,
  shownAlert,
  shownFunding,
  spendCaps,
  statementRow,
  usageDaysMax,
  usageItems,
} from '../internal/ledger.ts';
import { grantedPermission } from '../vocabulary.ts';
import { time, utcDay, wire } from '../wire.ts';
import { pagination } from './meta.ts';
import { listParameters, queryTimeMs } from './parameters.ts';

/** Credits or units: total = held + available. */
export const amounts = z.object({
  total: z.int(),
  held: z.int().min(0),
  available: z.int(),
});

const perMinute = wire({ limitPerMinute: z.int().min(0) });

/** What the Credential of the request may do, and which limits it shares. */
const keyFields = {
  rateLimit: perMinute.describe('The limit of the Service account.'),
  serviceAccount: wire({ id: serviceAccountId, rateLimit: perMinute }).describe(
    'Its active Credentials share the limit.',
  ),
  trafficLimit: perMinute.describe('The limit of all Service accounts together.'),
  eventsEnabled: z.boolean(),
  credential: wire({
    credentialId,
    projectId,
    scopes: z.array(grantedPermission),
    expiresAtMs: time.nullable(),
  }),
};

/**
 * `data` of GET Account. `balance` is prepaid credits; the units of an account that is funded by a
 * subscription are in `funding`. `spend_caps` and `balance_alert` are present for Credentials with
 * `customer.account.read.v1` only.
 */
export const accountView = wire({
  accountId,
  balance: amounts,
  funding: shownFunding.describe('How the account pays.'),
  ...keyFields,
  spendCaps: spendCaps
    .optional()
    .describe('Present for Credentials with `customer.account.read.v1` only.'),
  credentialSpendCaps: credentialSpendCaps
    .optional()
    .describe('Of all Credentials of the account; present as `spend_caps` is.'),
  balanceAlert: shownAlert
    .optional()
    .describe('Present for Credentials with `customer.account.read.v1` only.'),
});
export type AccountView = z.output<typeof accountView>;

/** `data` of GET Project: what the Credential of the request can see of its own Project. */
export const projectView = wire({
  projectId,
  accountId,
  name: z.string().nullable(),
  environment,
  ...keyFields,
  credentialSpendCap: capUse
    .nullable()
    .describe('Of this Credential, for the UTC month; null without one.'),
  spendCap: capUse
    .nullable()
    .optional()
    .describe('Of the Project; present for Credentials with `customer.account.read.v1` only.'),
});

/** Query of GET Statement. */
export const statementQuery = z.object({
  from: queryTimeMs.optional().describe('Booked at this time or later.'),
  to: queryTimeMs.optional().describe('Booked before this time.'),
  ...listParameters,
});

/** `data` of GET Statement, oldest entry first. A line of the CSV has the columns of an item. */
export const accountStatement = z.object({
  items: z.array(statementRow).describe('Oldest first.'),
  pagination,
});

/** Query of GET Usage: both days included; without them the present UTC month so far. */
export const usageQuery = wire({
  from: utcDay.optional().describe('UTC day, included; given together with `to`.'),
  to: utcDay.optional().describe('UTC day, included; given together with `from`.'),
  projectId: projectId.optional().describe('Only of this Project; of all when absent.'),
}).superRefine(({ from, to }, context) => {
  const addIssue = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (from === undefined && to === undefined) return;
  if (from === undefined) addIssue('from', 'is required');
  else if (to === undefined) addIssue('to', 'is required');
  else if (to < from) addIssue('to', 'must not be before from');
  else if (to - from >= usageDaysMax) {
    addIssue('to', `must be within ${usageDaysMax} days, both included`);
  }
});

/** `data` of GET Usage: one item per day, Project, product and asset with usage. */
export const accountUsage = wire({
  from: utcDay,
  to: utcDay,
  items: usageItems,
});

/** Largest threshold of a balance alert. */
const thresholdMax = 1_000_000_000_000;

/** Body and `data` of PUT Balance alert; null for no alert. */
export const balanceAlert = z.strictObject({
  threshold: z
    .int('must be a whole number or null')
    .min(1, 'must be at least 1')
    .max(thresholdMax, `must be at most ${thresholdMax}`)
    .nullable(),
});
