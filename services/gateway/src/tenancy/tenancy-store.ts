import type { CredentialId, ProjectId, ServiceAccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { insertOwn } from '@inventory/mongo/duplicate-key';
import { type DocumentSchema, parseDocument, readFirst } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import { newOutbox, pushToOutbox, type WithOutbox } from '@inventory/work/outbox';
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import { createCredentialFinder } from './found-credential-store.ts';
import {
  accountIdOfDefault,
  type Credential,
  type CustomerAccount,
  defaultServiceAccountOf,
  type Project,
  type ServiceAccount,
  type StoredSecret,
} from './tenancy.domain.ts';
import {
  type AccountDocument,
  type CredentialDocument,
  expireAtOf,
  type ProjectDocument,
  type ServiceAccountDocument,
  tenancyDocuments,
} from './tenancy-documents.ts';

/** The message that is stored with a change, and its time. */
export interface Announcement {
  readonly message: OutgoingMessage;
  readonly atMs: number;
}

/** One part of a list in the order of creation. */
export interface ListPart {
  readonly afterId: string | null;
  readonly limit: number;
}

export type TenancyStore = ReturnType<typeof createTenancyStore>;

export function createTenancyStore(db: Db, logger: Logger) {
  const { accounts, projects, serviceAccounts, credentials } = tenancyDocuments;
  const collections = {
    accounts: db.collection<AccountDocument>(accounts.collection),
    projects: db.collection<ProjectDocument>(projects.collection),
    serviceAccounts: db.collection<ServiceAccountDocument>(serviceAccounts.collection),
    credentials: db.collection<CredentialDocument>(credentials.collection),
  };
  const ofAccounts = thingsIn<CustomerAccount, AccountDocument>(
    collections.accounts,
    { ...accounts, idOf: ({ accountId }) => accountId },
    logger,
  );
  const ofProjects = thingsIn<Project, ProjectDocument>(
    collections.projects,
    { ...projects, idOf: ({ projectId }) => projectId },
    logger,
  );
  const ofServiceAccounts = serviceAccountVerbs(
    thingsIn<ServiceAccount, ServiceAccountDocument>(
      collections.serviceAccounts,
      { ...serviceAccounts, idOf: ({ serviceAccountId }) => serviceAccountId },
      logger,
    ),
    ofAccounts,
  );
  const ofCredentials = thingsIn<Credential, CredentialDocument>(
    collections.credentials,
    { ...credentials, idOf: ({ credentialId }) => credentialId },
    logger,
  );
  return {
    accounts: { ...ofAccounts, require: requiring(ofAccounts.find, 'account_not_found') },
    projects: { ...ofProjects, require: requiring(ofProjects.find, 'project_not_found') },
    serviceAccounts: {
      ...ofServiceAccounts,
      require: requiring(ofServiceAccounts.find, 'service_account_not_found'),
    },
    credentials: credentialVerbs(ofCredentials, collections.credentials),
    findBySecretDigest: createCredentialFinder(collections),
  };
}

/** The database has beside a thing its id and the messages of its changes. */
type OwnedDocument = { readonly _id: string; readonly changedAtMs: number } & WithOutbox;

/** How the things of a collection are read, and which field is their id. */
interface StoredKind<Thing, Id> extends DocumentSchema<Thing> {
  readonly idOf: (thing: Thing) => Id;
}

/** Finds a thing, or throws the refusal of its kind. */
function requiring<Id, Thing>(
  find: (id: Id) => Promise<Thing | null>,
  code:
    | 'account_not_found'
    | 'project_not_found'
    | 'service_account_not_found'
    | 'credential_not_found',
): (id: Id) => Promise<Thing> {
  return async (id) => {
    const found = await find(id);
    if (found === null) throw new Refused({ code });
    return found;
  };
}

type Things<Thing, Stored extends Thing & OwnedDocument> = ReturnType<
  typeof thingsIn<Thing, Stored>
>;

/** What is done with things of any kind: a document each. */
function thingsIn<Thing, Stored extends Thing & OwnedDocument>(
  collection: Collection<Stored>,
  kind: StoredKind<Thing, Stored['_id']>,
  logger: Logger,
) {
  return {
    /** With what the database acts on `beside` it. */
    async insert(thing: Thing, announcement?: Announcement, beside: object = {}): Promise<void> {
      const outbox = announcement && newOutbox([announcement.message], announcement.atMs);
      const document = { _id: kind.idOf(thing), ...thing, ...beside, ...outbox };
      await insertOwn(collection, document as unknown as Stored);
    },
    async find(id: Stored['_id']): Promise<Thing | null> {
      const document = await collection.findOne({ _id: id } as Filter<Stored>);
      return document && parseDocument(kind, document);
    },
    /** Those of an owner, in the order of creation. */
    async list(owner: Filter<Stored>, { afterId, limit }: ListPart): Promise<Thing[]> {
      const filter = { ...owner, ...(afterId === null ? {} : { _id: { $gt: afterId } }) };
      const found = collection.find(filter).sort({ _id: 1 });
      return readFirst(found, limit, (stored) => [parseDocument(kind, stored)], logger);
    },
    change: (id: Stored['_id'], changes: Partial<Thing>, announcement: Announcement) =>
      change(collection, { _id: id } as Filter<Stored>, changes, announcement),
  };
}

/** The default Service account of an account is a part of the account's document. */
function serviceAccountVerbs(
  others: Things<ServiceAccount, ServiceAccountDocument>,
  accounts: Things<CustomerAccount, AccountDocument>,
) {
  return {
    ...others,
    async find(id: ServiceAccountId): Promise<ServiceAccount | null> {
      const other = await others.find(id);
      if (other !== null) return other;
      const account = await accounts.find(accountIdOfDefault(id));
      return account && defaultServiceAccountOf(account);
    },
    /** The default one first. */
    async list(account: CustomerAccount, { afterId, limit }: ListPart): Promise<ServiceAccount[]> {
      const first = defaultServiceAccountOf(account);
      const head = afterId === null ? [first] : [];
      const remainder = await others.list(
        { accountId: account.accountId },
        {
          afterId: afterId === first.serviceAccountId ? null : afterId,
          limit: limit - head.length,
        },
      );
      return [...head, ...remainder];
    },
    async change(
      id: ServiceAccountId,
      changes: Partial<ServiceAccount>,
      announcement: Announcement,
    ) {
      if (await others.change(id, changes, announcement)) return true;
      const { networkPolicy, ...same } = changes;
      const ofDefault = networkPolicy === undefined ? {} : { defaultNetworkPolicy: networkPolicy };
      return accounts.change(accountIdOfDefault(id), { ...same, ...ofDefault }, announcement);
    },
  };
}

/** Every change except the revocation applies to active Credentials only. */
function credentialVerbs(
  all: Things<Credential, CredentialDocument>,
  credentials: Collection<CredentialDocument>,
) {
  return {
    ...all,
    require: requiring(all.find, 'credential_not_found'),
    insert: (credential: Credential, announcement?: Announcement) =>
      all.insert(credential, announcement, { expireAt: expireAtOf(credential.expiresAtMs) }),
    /** Those that can be used; at most `max` are counted. */
    countActive(projectId: ProjectId, nowMs: number, max: number): Promise<number> {
      const isUsable = { $or: [{ expiresAtMs: null }, { expiresAtMs: { $gt: nowMs } }] };
      return credentials.countDocuments(
        { projectId, state: 'active', ...isUsable },
        { limit: max },
      );
    },
    /** When the one was issued that has so many newer ones; null where the Project has fewer. */
    async issuedAtMs(projectId: ProjectId, newer: number): Promise<number | null> {
      const options = { sort: { _id: -1 }, skip: newer, projection: { createdAtMs: 1 } } as const;
      const found = await credentials.findOne({ projectId }, options);
      return found?.createdAtMs ?? null;
    },
    change(id: CredentialId, changes: Partial<Credential>, announcement: Announcement) {
      const { expiresAtMs } = changes;
      const end = expiresAtMs === undefined ? {} : { expireAt: expireAtOf(expiresAtMs) };
      const filter = { _id: id, state: 'active' as const };
      return change(credentials, filter, { ...changes, ...end }, announcement);
    },
    /** False when it was rotated or revoked since `fromRotation` was read. */
    replaceSecrets(
      id: CredentialId,
      replacement: {
        fromRotation: number;
        secrets: readonly StoredSecret[];
        keyedRotations: readonly string[];
      },
      announcement: Announcement,
    ) {
      const { fromRotation, ...replaced } = replacement;
      return change(
        credentials,
        { _id: id, state: 'active', rotation: fromRotation },
        { ...replaced, rotation: fromRotation + 1 },
        announcement,
      );
    },
    /** False when it is revoked already. */
    revoke(id: CredentialId, announcement: Announcement) {
      const { atMs: revokedAtMs } = announcement;
      const filter = { _id: id, state: 'active' as const };
      const end = { state: 'revoked', revokedAtMs, expireAt: expireAtOf(revokedAtMs) };
      return change(credentials, filter, end, announcement);
    },
  };
}

/** State and announcement in one write; false when no document passes the filter. */
async function change<Stored extends OwnedDocument>(
  collection: Collection<Stored>,
  filter: Filter<Stored>,
  set: object,
  { message, atMs }: Announcement,
): Promise<boolean> {
  const changes = { ...set, changedAtMs: atMs };
  const update = { $set: changes, ...pushToOutbox([message], atMs) };
  // The types of the driver do not express that every stored document has an outbox and a
  // changedAtMs.
  const result = await collection.updateOne(filter, update as unknown as UpdateFilter<Stored>);
  return result.matchedCount === 1;
}
