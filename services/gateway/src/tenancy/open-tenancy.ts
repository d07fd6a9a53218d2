import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { MessageBus } from '@inventory/messaging/bus';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { Broadcasts } from '../commands/open-broadcasts.ts';
import { type Announce, type ChangedThing, startAnnouncing } from './announce-changes.ts';
import { createAccount, createProject, createSandbox, createServiceAccount } from './creations.ts';
import { issueCredential, revokeCredential, rotateCredential } from './credentials.ts';
import { createPrincipalCache } from './principal-cache.ts';
import { sandboxTwinId } from './sandbox-twin.ts';
import type { CustomerAccount } from './tenancy.domain.ts';
import { type Announcement, createTenancyStore, type ListPart } from './tenancy-store.ts';

export type Tenancy = ReturnType<typeof openTenancy>;

/**
 * Accounts, Projects, Service accounts and Credentials: the operations on them, and the Principals of secrets. The
 * database must have `tenancyIndexes`. The cache of Principals is invalidated by published changes.
 */
export function openTenancy(
  context: ServiceContext,
  {
    db,
    bus,
    broadcasts,
  }: {
    readonly db: Db;
    readonly bus: MessageBus;
    readonly broadcasts: Broadcasts;
  },
) {
  const { clock, identifiers } = context;
  const store = createTenancyStore(db, context.logger);
  const principals = createPrincipalCache(store.findBySecretDigest, clock);
  const { invalidate } = principals;
  broadcasts.invalidateOn(['authority.changed.v1'], ({ body }) => invalidate(body.accountId));
  const announce = startAnnouncing({ db, publish: bus.publish, invalidate }, context);
  const { accounts, projects, serviceAccounts, credentials, findBySecretDigest } = store;
  const changeOne = changesOf(accounts, announce);
  /** After the account its sandbox changes its state, too. */
  async function changeAccount(id: AccountId, changes: Partial<CustomerAccount>) {
    const changed = await changeOne(id, changes);
    const { state } = changes;
    const twinId = sandboxTwinId(id);
    if (state !== undefined && (await accounts.find(twinId))) await changeOne(twinId, { state });
    return changed;
  }
  return {
    principals,
    findBySecretDigest,
    findAccount: accounts.find,
    requireAccount: accounts.require,
    listAccounts: (part: ListPart) => accounts.list({}, part),
    createAccount: createAccount.bind(null, store, context),
    changeAccount,
    findProject: projects.find,
    requireProject: projects.require,
    listProjects: (accountId: AccountId, part: ListPart) => projects.list({ accountId }, part),
    createSandbox: createSandbox.bind(null, store, changeOne, context),
    createProject: createProject.bind(null, store, context),
    changeProject: changesOf(projects, announce),
    requireServiceAccount: serviceAccounts.require,
    listServiceAccounts: serviceAccounts.list,
    createServiceAccount: createServiceAccount.bind(null, store, changeAccount, context),
    changeServiceAccount: changesOf(serviceAccounts, announce),
    findCredential: credentials.find,
    requireCredential: credentials.require,
    listCredentials: (projectId: ProjectId, part: ListPart) =>
      credentials.list({ projectId }, part),
    countActiveCredentials: credentials.countActive,
    credentialIssuedAtMs: credentials.issuedAtMs,
    issueCredential: issueCredential.bind(null, store, announce, identifiers),
    changeCredential: changesOf(credentials, announce),
    rotateCredential: rotateCredential.bind(null, store, announce),
    revokeCredential: revokeCredential.bind(null, store, announce),
  };
}

/** The part of a store that a change of one of its things takes. */
interface ChangedStore<Id, Thing, Changes> {
  require(id: Id): Promise<Thing>;
  change(id: Id, changes: Changes, announcement: Announcement): Promise<boolean>;
}

/**
 * Changes things of one kind: sets the given fields; the others stay, also under concurrent changes.
 * Only a revoked Credential is found and immutable.
 */
function changesOf<
  Id,
  Thing extends ChangedThing & { readonly changedAtMs: number },
  Changes extends object,
>(
  store: ChangedStore<Id, Thing, Changes>,
  announce: Announce,
): (id: Id, changes: Changes) => Promise<Thing> {
  return async (id, changes) => {
    const found = await store.require(id);
    const changed = await announce(found, async (announcement) => {
      const isWritten = await store.change(id, changes, announcement);
      return isWritten ? { ...found, ...changes, changedAtMs: announcement.atMs } : null;
    });
    if (changed === null) throw new Refused({ code: 'credential_revoked' });
    return changed;
  };
}
