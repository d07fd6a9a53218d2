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

type Times = { readonly createdAtMs: number; readonly changedAtMs: number };

/** A thing as it is stored: its id is `_id`, and its times are dates. */
export function toDocument<Thing extends Times & { readonly id: string }>({
  id,
  createdAtMs,
  changedAtMs,
  ...same
}: Thing) {
  const _id: Thing['id'] = id;
  return { _id, ...same, createdAt: dateOf(createdAtMs), changedAt: dateOf(changedAtMs) };
}

export function fromAccountDocument(stored: AccountDocument): Account {
  return fromDates(parseDocument(tenancyDocuments.account, stored));
}

export function fromProjectDocument(stored: ProjectDocument): Project {
  return fromDates(parseDocument(tenancyDocuments.project, stored));
}

export function fromServiceAccountDocument(stored: ServiceAccountDocument): ServiceAccount {
  return fromDates(parseDocument(tenancyDocuments.serviceAccount, stored));
}

export function toCredentialDocument(credential: Credential): CredentialDocument {
  const { permissions, expiresAtMs, secrets, revokedAtMs, ...same } = credential;
  return {
    ...toDocument(same),
    scopes: permissions,
    expiresAt: dateOrNull(expiresAtMs),
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

type Dates<Id> = { readonly _id: Id; readonly createdAt: Date; readonly changedAt: Date };

function fromDates<Id, Fields>(document: Fields & Dates<Id>) {
  const { _id: id, createdAt, changedAt, ...same } = document;
  return { id, ...same, createdAtMs: createdAt.getTime(), changedAtMs: changedAt.getTime() };
}
