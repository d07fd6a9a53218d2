import type {
  AccountId,
  CredentialId,
  ProjectId,
  ServiceAccountId,
} from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { ChangeAnnouncer } from './announce-change.ts';
import {
  type Account,
  type Credential,
  defaultServiceAccountId,
  type Project,
  type ServiceAccount,
} from './tenancy.domain.ts';
import type {
  AccountChanges,
  CredentialChanges,
  ProjectChanges,
  ServiceAccountChanges,
  TenancyStore,
} from './tenancy-store.ts';

/** Sets the given fields; the others stay, also under concurrent changes. */
export async function changeAccount(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  accountId: AccountId,
  changes: AccountChanges,
): Promise<Account> {
  const found = await store.findAccount(accountId);
  if (found === null) throw new Refused({ code: 'account_not_found' });
  const announcement = announcer.createAnnouncement({ accountId });
  const changed = await store.changeAccount(accountId, changes, announcement);
  if (!changed) throw new Refused({ code: 'account_not_found' });
  await announcer.publishChange({ accountId });
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}

/** Sets the given fields; the others stay, also under concurrent changes. */
export async function changeProject(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  projectId: ProjectId,
  changes: ProjectChanges,
): Promise<Project> {
  const found = await store.findProject(projectId);
  if (found === null) throw new Refused({ code: 'project_not_found' });
  const thing = { accountId: found.accountId, projectId };
  const announcement = announcer.createAnnouncement(thing);
  const changed = await store.changeProject(projectId, changes, announcement);
  if (!changed) throw new Refused({ code: 'project_not_found' });
  await announcer.publishChange(thing);
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}

/** Sets the given fields; the default Service account's are in the document of its account. */
export async function changeServiceAccount(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  id: ServiceAccountId,
  changes: ServiceAccountChanges,
): Promise<ServiceAccount> {
  const found = await store.findServiceAccount(id);
  if (found === null) throw new Refused({ code: 'service_account_not_found' });
  const { accountId } = found;
  const isDefault = id === defaultServiceAccountId(accountId);
  const thing = isDefault ? { accountId } : { accountId, serviceAccountId: id };
  const announcement = announcer.createAnnouncement(thing);
  const changed = isDefault
    ? await store.changeAccount(accountId, ofAccount(changes), announcement)
    : await store.changeServiceAccount(id, changes, announcement);
  if (!changed) throw new Refused({ code: 'service_account_not_found' });
  await announcer.publishChange(thing);
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}

function ofAccount({ networkPolicy, ...same }: ServiceAccountChanges): AccountChanges {
  return networkPolicy === undefined ? same : { ...same, defaultNetworkPolicy: networkPolicy };
}

/** Sets the given fields of an active Credential; a revoked one is immutable. */
export async function changeCredential(
  store: TenancyStore,
  announcer: ChangeAnnouncer,
  credentialId: CredentialId,
  changes: CredentialChanges,
): Promise<Credential> {
  const found = await store.findCredential(credentialId);
  if (found === null) throw new Refused({ code: 'credential_not_found' });
  const thing = { accountId: found.accountId, projectId: found.projectId, credentialId };
  const announcement = announcer.createAnnouncement(thing);
  const changed = await store.changeCredential(credentialId, changes, announcement);
  if (!changed) throw new Refused({ code: 'credential_revoked' });
  await announcer.publishChange(thing);
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}
