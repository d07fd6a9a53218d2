import type { AccountId, CredentialId, ProjectId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import type { Db } from 'mongodb';
import type { Broadcasts } from '../open-broadcasts.ts';
import { createAnnouncer } from './announce-change.ts';
import { changeAccount } from './change-account.ts';
import { changeCredential } from './change-credential.ts';
import { changeProject } from './change-project.ts';
import { createAccount } from './create-account.ts';
import { createProject } from './create-project.ts';
import { issueCredential, type WantedCredential } from './issue-credential.ts';
import { createPrincipalCache } from './principal-cache.ts';
import { revokeCredential } from './revoke-credential.ts';
import { rotateCredential } from './rotate-credential.ts';
import { startTenancyRelay } from './tenancy-relay.ts';
import {
  type AccountChanges,
  type CredentialChanges,
  createTenancyStore,
  type ListPart,
  type ProjectChanges,
} from './tenancy-store.ts';

interface TenancyDeps {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly logger: Logger;
}

export type Tenancy = ReturnType<typeof openTenancy>;

/**
 * Accounts, Projects and Credentials: the operations on them, and the Principals of secrets. The
 * database must have `tenancyIndexes`. The cache of Principals is invalidated by published changes.
 */
export function openTenancy({
  db,
  bus,
  broadcasts,
  clock,
  identifiers,
  lifetime,
  logger,
}: TenancyDeps) {
  const store = createTenancyStore(db);
  const principals = createPrincipalCache(store, clock);
  const { invalidate } = principals;
  broadcasts.invalidateOn(['authority.changed.v1'], ({ body }) => invalidate(body));
  const relay = startTenancyRelay({ db, bus, clock, lifetime, logger });
  const announcer = createAnnouncer({ clock, identifiers, invalidate, relay: relay.flush });
  const creation = { store, clock, identifiers };
  const change = { store, announcer };

  return {
    principals,
    createAccount: (wanted: { name: string }) => createAccount(creation, wanted),
    findAccount: (id: AccountId) => store.findAccount(id),
    listAccounts: (part: ListPart) => store.listAccounts(part),
    changeAccount: (id: AccountId, changes: AccountChanges) => changeAccount(change, id, changes),

    createProject: (wanted: { accountId: AccountId; name: string | null }) =>
      createProject(creation, wanted),
    findProject: (id: ProjectId) => store.findProject(id),
    listProjects: (accountId: AccountId, part: ListPart) => store.listProjects(accountId, part),
    changeProject: (id: ProjectId, changes: ProjectChanges) => changeProject(change, id, changes),

    issueCredential: (wanted: WantedCredential) => issueCredential(creation, wanted),
    findBySecretDigest: (digest: string) => store.findBySecretDigest(digest),
    findCredential: (id: CredentialId) => store.findCredential(id),
    listCredentials: (projectId: ProjectId, part: ListPart) =>
      store.listCredentials(projectId, part),
    changeCredential: (id: CredentialId, changes: CredentialChanges) =>
      changeCredential(change, id, changes),
    rotateCredential: (wanted: { credentialId: CredentialId; overlapMs: number }) =>
      rotateCredential(change, wanted),
    revokeCredential: (id: CredentialId) => revokeCredential(change, id),
  };
}
