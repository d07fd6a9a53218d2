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
  const { id, networkPolicy, defaultNetworkPolicy, createdAtMs, changedAtMs, ...same } = account;
  return {
    _id: id,
    ...same,
    networkPolicy: list(networkPolicy),
    defaultNetworkPolicy: list(defaultNetworkPolicy),
    ...at(createdAtMs, changedAtMs),
  };
}

export function fromAccountDocument(stored: AccountDocument): Account {
  const document = parseDocument(tenancyDocuments.account, stored);
  return {
    id: document._id,
    name: document.name,
    state: document.state,
    networkPolicy: document.networkPolicy,
    requestsPerMinute: document.requestsPerMinute,
    defaultNetworkPolicy: document.defaultNetworkPolicy,
    trafficLimitPerMinute: document.trafficLimitPerMinute,
    hasServiceAccounts: document.hasServiceAccounts,
    eventsEnabled: document.eventsEnabled,
    captureEnabled: document.captureEnabled,
    createdAtMs: document.createdAt.getTime(),
    changedAtMs: document.changedAt.getTime(),
  };
}

export function toProjectDocument(project: Project): ProjectDocument {
  const { id, networkPolicy, createdAtMs, changedAtMs, ...same } = project;
  return { _id: id, ...same, networkPolicy: list(networkPolicy), ...at(createdAtMs, changedAtMs) };
}

export function fromProjectDocument(stored: ProjectDocument): Project {
  const document = parseDocument(tenancyDocuments.project, stored);
  return {
    id: document._id,
    accountId: document.accountId,
    name: document.name,
    state: document.state,
    networkPolicy: document.networkPolicy,
    createdAtMs: document.createdAt.getTime(),
    changedAtMs: document.changedAt.getTime(),
  };
}

export function toServiceAccountDocument(serviceAccount: ServiceAccount): ServiceAccountDocument {
  const { id, networkPolicy, createdAtMs, changedAtMs, ...same } = serviceAccount;
  return { _id: id, ...same, networkPolicy: list(networkPolicy), ...at(createdAtMs, changedAtMs) };
}

export function fromServiceAccountDocument(stored: ServiceAccountDocument): ServiceAccount {
  const document = parseDocument(tenancyDocuments.serviceAccount, stored);
  return {
    id: document._id,
    accountId: document.accountId,
    name: document.name,
    networkPolicy: document.networkPolicy,
    requestsPerMinute: document.requestsPerMinute,
    createdAtMs: document.createdAt.getTime(),
    changedAtMs: document.changedAt.getTime(),
  };
}

export function toCredentialDocument(credential: Credential): CredentialDocument {
  return {
    _id: credential.id,
    accountId: credential.accountId,
    projectId: credential.projectId,
    serviceAccountId: credential.serviceAccountId,
    name: credential.name,
    state: credential.state,
    scopes: [...credential.permissions],
    expiresAt: dateOrNull(credential.expiresAtMs),
    networkPolicy: list(credential.networkPolicy),
    secrets: credential.secrets.map(toSecretDocument),
    rotation: credential.rotation,
    ...at(credential.createdAtMs, credential.changedAtMs),
    revokedAt: dateOrNull(credential.revokedAtMs),
  };
}

export function fromCredentialDocument(stored: CredentialDocument): Credential {
  const document = parseDocument(tenancyDocuments.credential, stored);
  return {
    id: document._id,
    accountId: document.accountId,
    projectId: document.projectId,
    serviceAccountId: document.serviceAccountId,
    name: document.name,
    state: document.state,
    permissions: document.scopes,
    expiresAtMs: document.expiresAt?.getTime() ?? null,
    networkPolicy: document.networkPolicy,
    secrets: document.secrets.map((secret) => ({
      digest: secret.digest,
      issuedAtMs: secret.issuedAt.getTime(),
      validUntilMs: secret.validUntil?.getTime() ?? null,
    })),
    rotation: document.rotation,
    createdAtMs: document.createdAt.getTime(),
    changedAtMs: document.changedAt.getTime(),
    revokedAtMs: document.revokedAt?.getTime() ?? null,
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

function at(createdAtMs: number, changedAtMs: number): { createdAt: Date; changedAt: Date } {
  return { createdAt: dateOf(createdAtMs), changedAt: dateOf(changedAtMs) };
}
