import type { CredentialId, ProjectId, ServiceAccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { insertOwn } from '@inventory/mongo/duplicate-key';
import { readFirst } from '@inventory/mongo/parse-document';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { newOutbox, pushToOutbox, type WithOutbox } from '@inventory/work/outbox';
import type { Collection, Db, Filter, UpdateFilter } from 'mongodb';
import { createCredentialFinder } from './found-credential-store.ts';
import {
  type Account,
  accountIdOfDefault,
  type Credential,
  defaultServiceAccountOf,
  type Project,
  type ServiceAccount,
  type StoredSecret,
} from './tenancy.domain.ts';
import {
  type AccountDocument,
  type CredentialDocument,
  type ProjectDocument,
  type ServiceAccountDocument,
  tenancyCollections,
} from './tenancy-documents.ts';
import {
  fromAccountDocument,
  fromCredentialDocument,
  fromProjectDocument,
  fromServiceAccountDocument,
  toCredentialDocument,
  toDocument,
  toSecretDocument,
} from './tenancy-mapping.ts';

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

type AccountChanges = Partial<Omit<Account, 'id' | 'name' | 'createdAtMs' | 'changedAtMs'>>;
type ServiceAccountChanges = Partial<Pick<ServiceAccount, 'networkPolicy' | 'requestsPerMinute'>>;
type ProjectChanges = Partial<Pick<Project, 'state' | 'networkPolicy'>>;
type CredentialChanges = Partial<Pick<Credential, 'permissions' | 'expiresAtMs' | 'networkPolicy'>>;

export type TenancyStore = ReturnType<typeof createTenancyStore>;

export function createTenancyStore(db: Db, logger: Pick<Logger, 'error'>) {
  const accounts = db.collection<AccountDocument>(tenancyCollections.accounts);
  const projects = db.collection<ProjectDocument>(tenancyCollections.projects);
  const serviceAccounts = db.collection<ServiceAccountDocument>(tenancyCollections.serviceAccounts);
  const credentials = db.collection<CredentialDocument>(tenancyCollections.credentials);
  const ofAccounts = thingsIn<Account, AccountDocument, AccountChanges>(
    accounts,
    toDocument,
    fromAccountDocument,
    logger,
  );
  const ofProjects = thingsIn<Project, ProjectDocument, ProjectChanges>(
    projects,
    toDocument,
    fromProjectDocument,
    logger,
  );
  const ofServiceAccounts = serviceAccountVerbs(
    thingsIn<ServiceAccount, ServiceAccountDocument, ServiceAccountChanges>(
      serviceAccounts,
      toDocument,
      fromServiceAccountDocument,
      logger,
    ),
    ofAccounts,
  );
  return {
    accounts: { ...ofAccounts, require: requiring(ofAccounts.find, 'account_not_found') },
    projects: { ...ofProjects, require: requiring(ofProjects.find, 'project_not_found') },
    serviceAccounts: {
      ...ofServiceAccounts,
      require: requiring(ofServiceAccounts.find, 'service_account_not_found'),
    },
    credentials: credentialVerbs(
      thingsIn<Credential, CredentialDocument, CredentialChanges>(
        credentials,
        toCredentialDocument,
        fromCredentialDocument,
        logger,
      ),
      credentials,
    ),
    findBySecretDigest: createCredentialFinder({
      accounts,
      projects,
      serviceAccounts,
      credentials,
    }),
  };
}

type OwnedDocument = { readonly _id: string; readonly changedAt: Date } & WithOutbox;

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

type Things<Thing, Stored extends OwnedDocument, Changes extends object> = ReturnType<
  typeof thingsIn<Thing, Stored, Changes>
>;

/** What is done with things of any kind: a document each. */
function thingsIn<Thing, Stored extends OwnedDocument, Changes extends object>(
  collection: Collection<Stored>,
  toDocument: (thing: Thing) => Stored,
  fromDocument: (stored: Stored) => Thing,
  logger: Pick<Logger, 'error'>,
) {
  return {
    async insert(thing: Thing, announcement?: Announcement): Promise<void> {
      const outbox = announcement && newOutbox([announcement.message], announcement.atMs);
      const document: Stored = { ...toDocument(thing), ...outbox };
      await insertOwn(collection, document);
    },
    async find(id: Stored['_id']): Promise<Thing | null> {
      const document = await collection.findOne({ _id: id } as Filter<Stored>);
      return document && fromDocument(document as Stored);
    },
    /** Those of an owner, in the order of creation. */
    async list(owner: Filter<Stored>, { afterId, limit }: ListPart): Promise<Thing[]> {
      const filter = { ...owner, ...(afterId === null ? {} : { _id: { $gt: afterId } }) };
      const found = collection.find(filter).sort({ _id: 1 });
      return readFirst(found, limit, (stored) => [fromDocument(stored as Stored)], logger);
    },
    change: (id: Stored['_id'], changes: Changes, announcement: Announcement) =>
      change(collection, { _id: id } as Filter<Stored>, changes, announcement),
  };
}

/** The default Service account of an account is a part of the account's document. */
function serviceAccountVerbs(
  others: Things<ServiceAccount, ServiceAccountDocument, ServiceAccountChanges>,
  accounts: Things<Account, AccountDocument, AccountChanges>,
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
    async list(account: Account, { afterId, limit }: ListPart): Promise<ServiceAccount[]> {
      const first = defaultServiceAccountOf(account);
      const head = afterId === null ? [first] : [];
      const rest = await others.list(
        { accountId: account.id },
        { afterId: afterId === first.id ? null : afterId, limit: limit - head.length },
      );
      return [...head, ...rest];
    },
    async change(id: ServiceAccountId, changes: ServiceAccountChanges, announcement: Announcement) {
      if (await others.change(id, changes, announcement)) return true;
      const { networkPolicy, ...same } = changes;
      const ofDefault = networkPolicy === undefined ? {} : { defaultNetworkPolicy: networkPolicy };
      return accounts.change(accountIdOfDefault(id), { ...same, ...ofDefault }, announcement);
    },
  };
}

/** Every change except the revocation applies to active Credentials only. */
function credentialVerbs(
  all: Things<Credential, CredentialDocument, CredentialChanges>,
  credentials: Collection<CredentialDocument>,
) {
  return {
    ...all,
    require: requiring(all.find, 'credential_not_found'),
    /** Those that can be used; at most `max` are counted. */
    countActive(projectId: ProjectId, nowMs: number, max: number): Promise<number> {
      const isUsable = { $or: [{ expiresAt: null }, { expiresAt: { $gt: dateOf(nowMs) } }] };
      return credentials.countDocuments(
        { projectId, state: 'active', ...isUsable },
        { limit: max },
      );
    },
    /** When the one was issued behind which so many are newer; null where the Project has fewer. */
    async issuedAtMs(projectId: ProjectId, newer: number): Promise<number | null> {
      const options = { sort: { _id: -1 }, skip: newer, projection: { createdAt: 1 } } as const;
      const found = await credentials.findOne({ projectId }, options);
      return found?.createdAt.getTime() ?? null;
    },
    change(id: CredentialId, changes: CredentialChanges, announcement: Announcement) {
      const { permissions, expiresAtMs, ...same } = changes;
      const set = {
        ...same,
        ...(permissions && { scopes: permissions }),
        ...(expiresAtMs === undefined ? {} : { expiresAt: dateOrNull(expiresAtMs) }),
      };
      return change(credentials, { _id: id, state: 'active' }, set, announcement);
    },
    /** False when it was rotated or revoked since `fromRotation` was read. */
    replaceSecrets(
      id: CredentialId,
      replacement: { fromRotation: number; secrets: readonly StoredSecret[] },
      announcement: Announcement,
    ) {
      const { fromRotation, secrets } = replacement;
      return change(
        credentials,
        { _id: id, state: 'active', rotation: fromRotation },
        { secrets: secrets.map(toSecretDocument), rotation: fromRotation + 1 },
        announcement,
      );
    },
    /** False when it is revoked already. */
    revoke(id: CredentialId, announcement: Announcement) {
      const revokedAt = dateOf(announcement.atMs);
      const filter = { _id: id, state: 'active' as const };
      return change(credentials, filter, { state: 'revoked', revokedAt }, announcement);
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
  const changes = { ...set, changedAt: dateOf(atMs) };
  const update = { $set: changes, ...pushToOutbox([message], atMs) };
  // The types of the driver do not express that every stored document has an outbox and a
  // changedAt.
  const result = await collection.updateOne(filter, update as unknown as UpdateFilter<Stored>);
  return result.matchedCount === 1;
}
