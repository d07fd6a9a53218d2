import type { AccountId } from '@inventory/contracts/ids';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { firstProjectOf, sandboxTwinOf } from './sandbox-twin.ts';
import {
  type CustomerAccount,
  type Project,
  rateLimitPerMinuteDefault,
  type ServiceAccount,
} from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

/** A new account is in no cache, so its creation is not published. */
export async function createAccount(
  store: TenancyStore,
  { clock, identifiers }: ServiceContext,
  wanted: { name: string },
): Promise<CustomerAccount> {
  const nowMs = clock.now();
  const account: CustomerAccount = {
    accountId: `acc_${identifiers.uuidV7()}`,
    parentAccountId: null,
    name: wanted.name,
    state: 'active',
    networkPolicy: null,
    rateLimitPerMinute: rateLimitPerMinuteDefault,
    defaultNetworkPolicy: null,
    trafficLimitPerMinute: null,
    hasServiceAccounts: false,
    eventsEnabled: false,
    captureEnabled: true,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  await store.accounts.insert(account);
  return account;
}

/**
 * The sandbox of an account and its first Project. Their ids are derived, so repeated it creates
 * nothing. The parent is read after the insert: its suspension found the sandbox, or is seen here.
 */
export async function createSandbox(
  store: TenancyStore,
  changeAccount: (id: AccountId, change: { readonly state: 'suspended' }) => Promise<unknown>,
  { clock }: ServiceContext,
  parent: CustomerAccount,
): Promise<{ readonly account: CustomerAccount; readonly project: Project }> {
  const twin = sandboxTwinOf(parent, clock.now());
  const { accountId } = twin;
  await store.accounts.insert(twin);
  const { state } = await store.accounts.require(parent.accountId);
  if (state === 'suspended') await changeAccount(accountId, { state });
  const account = await store.accounts.require(accountId);
  const project = firstProjectOf(account, clock.now());
  await store.projects.insert(project);
  return { account, project: await store.projects.require(project.projectId) };
}

/** Accounts are never deleted, so the owner that was read stays valid. */
export async function createProject(
  store: TenancyStore,
  { clock, identifiers }: ServiceContext,
  wanted: { accountId: AccountId; name: string | null },
): Promise<Project> {
  const account = await store.accounts.require(wanted.accountId);
  const nowMs = clock.now();
  const project: Project = {
    projectId: `prj_${identifiers.uuidV7()}`,
    accountId: account.accountId,
    name: wanted.name,
    state: 'active',
    networkPolicy: null,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  await store.projects.insert(project);
  return project;
}

/**
 * The account is marked before the insert: from then on every replica counts its requests against
 * the limit of the customer account. After a crash in between it counts them for nothing.
 */
export async function createServiceAccount(
  store: TenancyStore,
  markAccount: (id: AccountId, mark: { readonly hasServiceAccounts: true }) => Promise<unknown>,
  { clock, identifiers }: ServiceContext,
  wanted: { accountId: AccountId; name: string },
): Promise<ServiceAccount> {
  const account = await store.accounts.require(wanted.accountId);
  if (!account.hasServiceAccounts)
    await markAccount(account.accountId, { hasServiceAccounts: true });
  const nowMs = clock.now();
  const serviceAccount: ServiceAccount = {
    serviceAccountId: `sa_${identifiers.uuidV7()}`,
    accountId: account.accountId,
    name: wanted.name,
    networkPolicy: null,
    rateLimitPerMinute: rateLimitPerMinuteDefault,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  await store.serviceAccounts.insert(serviceAccount);
  return serviceAccount;
}
