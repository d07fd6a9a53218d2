import { endedCredentialKeepDays } from '@inventory/contracts/http/credentials';
import { accountId, credentialId, projectId, serviceAccountId } from '@inventory/contracts/ids';
import { grantedPermission } from '@inventory/contracts/vocabulary';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { outboxIndex, type WithOutbox } from '@inventory/work/outbox';
import { z } from 'zod';

/**
 * Accounts, Projects, Service accounts and Credentials are separate documents, joined on read: a
 * change is one write to one of them, with its message in the same document. The default Service
 * account is a part of its account's document.
 */
export const tenancyCollections = {
  accounts: 'accounts',
  projects: 'projects',
  serviceAccounts: 'service_accounts',
  credentials: 'credentials',
} as const;

const ownerState = z.enum(['active', 'suspended']);
const networkPolicy = z.array(z.string()).readonly().nullable();
const times = { createdAt: z.date(), changedAt: z.date() };

const account = z.object({
  _id: accountId,
  name: z.string(),
  state: ownerState,
  networkPolicy,
  requestsPerMinute: z.int(),
  defaultNetworkPolicy: networkPolicy,
  trafficLimitPerMinute: z.int().nullable(),
  hasServiceAccounts: z.boolean(),
  eventsEnabled: z.boolean(),
  captureEnabled: z.boolean(),
  ...times,
});
export type AccountDocument = z.infer<typeof account> & WithOutbox;

const project = z.object({
  _id: projectId,
  accountId,
  name: z.string().nullable(),
  state: ownerState,
  networkPolicy,
  ...times,
});
export type ProjectDocument = z.infer<typeof project> & WithOutbox;

const serviceAccount = z.object({
  _id: serviceAccountId,
  accountId,
  name: z.string(),
  networkPolicy,
  requestsPerMinute: z.int(),
  ...times,
});
export type ServiceAccountDocument = z.infer<typeof serviceAccount> & WithOutbox;

const storedSecret = z.object({
  digest: z.string(),
  issuedAt: z.date(),
  validUntil: z.date().nullable(),
});
export type StoredSecretDocument = z.infer<typeof storedSecret>;

const credential = z.object({
  _id: credentialId,
  accountId,
  projectId,
  serviceAccountId,
  name: z.string().nullable(),
  state: z.enum(['active', 'revoked']),
  scopes: z.array(grantedPermission).readonly(),
  expiresAt: z.date().nullable(),
  networkPolicy,
  /** Never empty, not even when revoked: the unique index has no entry for an empty list. */
  secrets: z.array(storedSecret),
  rotation: z.int(),
  ...times,
  revokedAt: z.date().nullable(),
});
export type CredentialDocument = z.infer<typeof credential> & WithOutbox;

export const tenancyDocuments = {
  account: { collection: tenancyCollections.accounts, schema: account },
  project: { collection: tenancyCollections.projects, schema: project },
  serviceAccount: { collection: tenancyCollections.serviceAccounts, schema: serviceAccount },
  credential: { collection: tenancyCollections.credentials, schema: credential },
} as const;

const endedKeep = { expireAfterSeconds: endedCredentialKeepDays * 24 * 3_600 };

/** The store deletes a Credential some time after its end. */
export const tenancyIndexes: readonly CollectionIndexes[] = [
  { collection: tenancyCollections.accounts, indexes: [outboxIndex] },
  {
    collection: tenancyCollections.projects,
    indexes: [outboxIndex, { name: 'account', keys: { accountId: 1, _id: 1 } }],
  },
  {
    collection: tenancyCollections.serviceAccounts,
    indexes: [outboxIndex, { name: 'account', keys: { accountId: 1, _id: 1 } }],
  },
  {
    collection: tenancyCollections.credentials,
    indexes: [
      outboxIndex,
      { name: 'project', keys: { projectId: 1, _id: 1 } },
      { name: 'revoked', keys: { revokedAt: 1 }, options: endedKeep },
      { name: 'expired', keys: { expiresAt: 1 }, options: endedKeep },
      { name: 'secret_digest', keys: { 'secrets.digest': 1 }, options: { unique: true } },
    ],
  },
];
