import { parseDocument } from '@inventory/mongo/parse-document';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import type {
  Account,
  Credential,
  Project,
  ServiceAccount,
  StoredSecret,
} from './tenancy.domain.ts';
import {
  type AccountDocument,
  type CredentialDocument,
  type ProjectDocument,
  type ServiceAccountDocument,
  type StoredSecretDocument,
  tenancyDocuments,
} from './tenancy-documents.ts';

export function toAccountDocument(account: Account): AccountDocument {
  const { id, networkPolicy, defaultNetworkPolicy, ...same } = toDates(account);
  return {
    _id: id,
    ...same,
    networkPolicy: list(networkPolicy),
    defaultNetworkPolicy: list(defaultNetworkPolicy),
  };
}

export function fromAccountDocument(stored: AccountDocument): Account {
  return fromDates(parseDocument(tenancyDocuments.account, stored));
}

export function toProjectDocument(project: Project): ProjectDocument {
  const { id, networkPolicy, ...same } = toDates(project);
  return { _id: id, ...same, networkPolicy: list(networkPolicy) };
}

export function fromProjectDocument(stored: ProjectDocument): Project {
  return fromDates(parseDocument(tenancyDocuments.project, stored));
}

export function toServiceAccountDocument(serviceAccount: ServiceAccount): ServiceAccountDocument {
  const { id, networkPolicy, ...same } = toDates(serviceAccount);
  return { _id: id, ...same, networkPolicy: list(networkPolicy) };
}

export function fromServiceAccountDocument(stored: ServiceAccountDocument): ServiceAccount {
  return fromDates(parseDocument(tenancyDocuments.serviceAccount, stored));
}

export function toCredentialDocument(credential: Credential): CredentialDocument {
  const { id, permissions, expiresAtMs, networkPolicy, secrets, revokedAtMs, ...same } =
    toDates(credential);
  return {
    _id: id,
    ...same,
    scopes: [...permissions],
    expiresAt: dateOrNull(expiresAtMs),
    networkPolicy: list(networkPolicy),
    secrets: secrets.map(toSecretDocument),
    revokedAt: dateOrNull(revokedAtMs),
  };
}

export function fromCredentialDocument(stored: CredentialDocument): Credential {
  const { scopes, expiresAt, secrets, revokedAt, ...same } = fromDates(
    parseDocument(tenancyDocuments.credential, stored),
  );
  return {
    ...same,
    permissions: scopes,
    expiresAtMs: expiresAt?.getTime() ?? null,
    secrets: secrets.map(({ digest, issuedAt, validUntil }) => ({
      digest,
      issuedAtMs: issuedAt.getTime(),
      validUntilMs: validUntil?.getTime() ?? null,
    })),
    revokedAtMs: revokedAt?.getTime() ?? null,
  };
}

export function toSecretDocument(secret: StoredSecret): StoredSecretDocument {
  return {
    digest: secret.digest,
    issuedAt: dateOf(secret.issuedAtMs),
    validUntil: dateOrNull(secret.validUntilMs),
  };
}

function list(policy: readonly string[] | null): string[] | null {
  return policy === null ? null : [...policy];
}

type Times = { readonly createdAtMs: number; readonly changedAtMs: number };

/** What an owner stores of when it was made and changed. */
function toDates<Owner extends Times>({ createdAtMs, changedAtMs, ...same }: Owner) {
  return { ...same, createdAt: dateOf(createdAtMs), changedAt: dateOf(changedAtMs) };
}

type Dates<Id> = { readonly _id: Id; readonly createdAt: Date; readonly changedAt: Date };

function fromDates<Id, Fields>(document: Fields & Dates<Id>) {
  const { _id: id, createdAt, changedAt, ...same } = document;
  return { id, ...same, createdAtMs: createdAt.getTime(), changedAtMs: changedAt.getTime() };
}
