import type { AccountId, CredentialId, ProjectId } from '@inventory/contracts/ids';
import type { GrantedScope } from '@inventory/contracts/vocabulary';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { outboxIndex, type WithOutbox } from '@inventory/mongo/outbox';
import type { CredentialState, OwnerState } from './tenancy.domain.ts';

/**
 * Accounts, Projects and Credentials are documents of their own, joined when they are read: a
 * change is one write to one of them, and its announcement waits in the same document.
 */
export const tenancyCollections = {
  accounts: 'accounts',
  projects: 'projects',
  credentials: 'credentials',
} as const;

export interface AccountDocument extends WithOutbox {
  readonly _id: AccountId;
  readonly name: string;
  readonly state: OwnerState;
  readonly networkPolicy: string[] | null;
  readonly requestsPerMinute: number;
  readonly eventsEnabled: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface ProjectDocument extends WithOutbox {
  readonly _id: ProjectId;
  readonly accountId: AccountId;
  readonly name: string | null;
  readonly state: OwnerState;
  readonly networkPolicy: string[] | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface StoredSecretDocument {
  readonly digest: string;
  readonly issuedAt: Date;
  readonly validUntil: Date | null;
}

export interface CredentialDocument extends WithOutbox {
  readonly _id: CredentialId;
  readonly accountId: AccountId;
  readonly projectId: ProjectId;
  readonly name: string | null;
  readonly state: CredentialState;
  readonly scopes: GrantedScope[];
  readonly expiresAt: Date | null;
  readonly networkPolicy: string[] | null;
  /** Never empty, not even when revoked: the unique index knows no empty list. */
  readonly secrets: StoredSecretDocument[];
  readonly rotation: number;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly revokedAt: Date | null;
}

export const tenancyIndexes: readonly CollectionIndexes[] = [
  { collection: tenancyCollections.accounts, indexes: [outboxIndex] },
  {
    collection: tenancyCollections.projects,
    indexes: [outboxIndex, { name: 'account', keys: { accountId: 1, _id: 1 } }],
  },
  {
    collection: tenancyCollections.credentials,
    indexes: [
      outboxIndex,
      { name: 'project', keys: { projectId: 1, _id: 1 } },
      { name: 'secret_digest', keys: { 'secrets.digest': 1 }, options: { unique: true } },
    ],
  },
];
