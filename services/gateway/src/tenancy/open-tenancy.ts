import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { GatewayConfig } from '../config.ts';
import type { Broadcasts } from '../open-broadcasts.ts';
import { createAnnouncer } from './announce-change.ts';
import { changeAccount } from './change-account.ts';
import { changeCredential } from './change-credential.ts';
import { changeProject } from './change-project.ts';
import { changeServiceAccount } from './change-service-account.ts';
import { createAccount } from './create-account.ts';
import { createProject } from './create-project.ts';
import { createServiceAccount } from './create-service-account.ts';
import { issueCredential } from './issue-credential.ts';
import { createPrincipalCache } from './principal-cache.ts';
import { revokeCredential } from './revoke-credential.ts';
import { rotateCredential } from './rotate-credential.ts';
import { startTenancyRelay } from './tenancy-relay.ts';
import { createTenancyStore } from './tenancy-store.ts';

interface TenancyDeps
  extends Pick<ServiceContext<GatewayConfig>, 'clock' | 'identifiers' | 'lifetime' | 'logger'> {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
}

export type Tenancy = ReturnType<typeof openTenancy>;

/**
 * Accounts, Projects, Service accounts and Credentials: the operations on them, and the Principals of secrets. The
 * database must have `tenancyIndexes`. The cache of Principals is invalidated by published changes.
 */
export function openTenancy({ broadcasts, ...deps }: TenancyDeps) {
  const { db, clock, identifiers } = deps;
  const store = createTenancyStore(db);
  const principals = createPrincipalCache(store, clock);
  const { invalidate } = principals;
  broadcasts.invalidateOn(['authority.changed.v1'], ({ body }) => invalidate(body));
  const relay = startTenancyRelay(deps);
  const announcer = createAnnouncer({ clock, identifiers, invalidate, relay: relay.flush });
  const creation = { store, clock, identifiers };
  const change = { store, announcer };
  const { findAccount, listAccounts, findProject, listProjects } = store;
  const { findServiceAccount, listServiceAccounts } = store;
  const { findCredential, listCredentials, findBySecretDigest } = store;
  return {
    principals,
    ...{ findAccount, listAccounts, findProject, listProjects },
    ...{ findServiceAccount, listServiceAccounts },
    ...{ findCredential, listCredentials, findBySecretDigest },
    createAccount: createAccount.bind(null, creation),
    changeAccount: changeAccount.bind(null, change),
    createProject: createProject.bind(null, creation),
    changeProject: changeProject.bind(null, change),
    createServiceAccount: createServiceAccount.bind(null, { ...creation, announcer }),
    changeServiceAccount: changeServiceAccount.bind(null, change),
    issueCredential: issueCredential.bind(null, creation),
    changeCredential: changeCredential.bind(null, change),
    rotateCredential: rotateCredential.bind(null, change),
    revokeCredential: revokeCredential.bind(null, change),
  };
}
