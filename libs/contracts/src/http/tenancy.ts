import { z } from 'zod';
import { environment } from '../environment.ts';
import { accountId, projectId, serviceAccountId } from '../ids.ts';
import { time, wire } from '../wire.ts';

/** Accounts and Projects are never deleted: money and refreshes refer to them. */
export const ownerState = z
  .enum(['active', 'suspended'])
  .describe('Suspended, none of its Credentials is valid.');

/** CIDR allow-list; null allows every network. */
export const networkPolicy = z.array(z.string()).nullable();

const times = { createdAtMs: time, changedAtMs: time };

/** The customer: owns the balance, Projects and Service accounts. */
export const accountRecord = wire({
  accountId,
  environment,
  parentAccountId: accountId
    .nullable()
    .describe('The live account whose sandbox it is; null for a live account.'),
  name: z.string(),
  state: ownerState,
  networkPolicy,
  /** Of the default Service account. */
  rateLimitPerMinute: z.int(),
  trafficLimitPerMinute: z
    .int()
    .nullable()
    .describe('Of all Service accounts together; null for the configured limit.'),
  defaultServiceAccountId: serviceAccountId,
  eventsEnabled: z.boolean(),
  captureEnabled: z.boolean().describe('Whether its chains of Live Pages are saved as revisions.'),
  ...times,
});

export const projectRecord = wire({
  projectId,
  accountId,
  name: z.string().nullable(),
  state: ownerState,
  networkPolicy,
  ...times,
});

/** Credentials that share a rate limit and a network policy. */
export const serviceAccountRecord = wire({
  serviceAccountId,
  accountId,
  name: z.string(),
  isDefault: z.boolean(),
  networkPolicy,
  rateLimitPerMinute: z.int(),
  ...times,
});
