import { endedCredentialKeepDays } from '@inventory/contracts/http/credentials';
import type {
  AccountId,
  CredentialId,
  ProjectId,
  ServiceAccountId,
} from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { dateOf } from '@inventory/runtime/clock';
import { outboxIndex, type WithOutbox } from '@inventory/work/outbox';
import {
  account,
  type Credential,
  type CustomerAccount,
  credential,
  type Project,
  project,
  type ServiceAccount,
  serviceAccount,
} from './tenancy.domain.ts';

/**
 * Accounts, Projects, Service accounts and Credentials are separate documents, joined on read: a
 * change is one write to one of them, with its message in the same document. The default Service
 * account is a part of its account's document.
 */
export const tenancyDocuments = {
  accounts: { collection: 'accounts', schema: account },
  projects: { collection: 'projects', schema: project },
  serviceAccounts: { collection: 'service_accounts', schema: serviceAccount },
  credentials: { collection: 'credentials', schema: credential },
} as const;

export type AccountDocument = CustomerAccount & WithOutbox & { readonly _id: AccountId };
export type ProjectDocument = Project & WithOutbox & { readonly _id: ProjectId };
export type ServiceAccountDocument = ServiceAccount &
  WithOutbox & { readonly _id: ServiceAccountId };
export type CredentialDocument = Credential &
  WithOutbox & {
    readonly _id: CredentialId;
    /** When the database deletes it, some time after its end; null while it has none. */
    readonly expireAt: Date | null;
  };

export function expireAtOf(endedAtMs: number | null): Date | null {
  return endedAtMs === null ? null : dateOf(endedAtMs + endedCredentialKeepDays * 24 * 3_600_000);
}

export const tenancyIndexes: readonly CollectionIndexes[] = [
  { collection: tenancyDocuments.accounts.collection, indexes: [outboxIndex] },
  {
    collection: tenancyDocuments.projects.collection,
    indexes: [outboxIndex, { name: 'account', keys: { accountId: 1, _id: 1 } }],
  },
  {
    collection: tenancyDocuments.serviceAccounts.collection,
    indexes: [outboxIndex, { name: 'account', keys: { accountId: 1, _id: 1 } }],
  },
  {
    collection: tenancyDocuments.credentials.collection,
    indexes: [
      outboxIndex,
      { name: 'project', keys: { projectId: 1, _id: 1 } },
      { name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
      { name: 'secret_digest', keys: { 'secrets.digest': 1 }, options: { unique: true } },
    ],
  },
];
