import type {
  AccountId,
  CredentialId,
  ProjectId,
  ServiceAccountId,
} from '@inventory/contracts/ids';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import { newOutbox, pushToOutbox } from '@inventory/work/outbox';
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
  toAccountDocument,
  toCredentialDocument,
  toProjectDocument,
  toSecretDocument,
  toServiceAccountDocument,
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

export type AccountChanges = Partial<Omit<Account, 'id' | 'name' | 'createdAtMs' | 'changedAtMs'>>;
export type ServiceAccountChanges = Partial<
  Pick<ServiceAccount, 'networkPolicy' | 'requestsPerMinute'>
>;
export type ProjectChanges = Partial<Pick<Project, 'state' | 'networkPolicy'>>;
export type CredentialChanges = Partial<
  Pick<Credential, 'permissions' | 'expiresAtMs' | 'networkPolicy'>
>;

export type TenancyStore = ReturnType<typeof createTenancyStore>;

export function createTenancyStore(db: Db) {
  const accounts = db.collection<AccountDocument>(tenancyCollections.accounts);
  const projects = db.collection<ProjectDocument>(tenancyCollections.projects);
  const serviceAccounts = db.collection<ServiceAccountDocument>(tenancyCollections.serviceAccounts);
  const credentials = db.collection<CredentialDocument>(tenancyCollections.credentials);

  return {
    ...accountVerbs(accounts),
    ...projectVerbs(projects),
    ...serviceAccountVerbs(serviceAccounts, accounts),
    ...credentialVerbs(credentials),
    findBySecretDigest: createCredentialFinder({
      accounts,
      projects,
      serviceAccounts,
      credentials,
    }),
  };
}

function accountVerbs(accounts: Collection<AccountDocument>) {
  return {
    async insertAccount(account: Account): Promise<void> {
      await accounts.insertOne(toAccountDocument(account));
    },
    async findAccount(id: AccountId): Promise<Account | null> {
      const document = await accounts.findOne({ _id: id });
      return document && fromAccountDocument(document);
    },
    async listAccounts(part: ListPart): Promise<Account[]> {
      return (await listPart(accounts, {}, part)).map(fromAccountDocument);
    },
    changeAccount(id: AccountId, changes: AccountChanges, announcement: Announcement) {
      return change(accounts, { _id: id }, changes, announcement);
    },
  };
}

function projectVerbs(projects: Collection<ProjectDocument>) {
  return {
    async insertProject(project: Project): Promise<void> {
      await projects.insertOne(toProjectDocument(project));
    },
    async findProject(id: ProjectId): Promise<Project | null> {
      const document = await projects.findOne({ _id: id });
      return document && fromProjectDocument(document);
    },
    async listProjects(accountId: AccountId, part: ListPart): Promise<Project[]> {
      return (await listPart(projects, { accountId }, part)).map(fromProjectDocument);
    },
    changeProject(id: ProjectId, changes: ProjectChanges, announcement: Announcement) {
      return change(projects, { _id: id }, changes, announcement);
    },
  };
}

/** The default Service account of an account is read from the account's document. */
function serviceAccountVerbs(
  serviceAccounts: Collection<ServiceAccountDocument>,
  accounts: Collection<AccountDocument>,
) {
  return {
    async insertServiceAccount(serviceAccount: ServiceAccount): Promise<void> {
      await serviceAccounts.insertOne(toServiceAccountDocument(serviceAccount));
    },
    async findServiceAccount(id: ServiceAccountId): Promise<ServiceAccount | null> {
      const document = await serviceAccounts.findOne({ _id: id });
      if (document !== null) return fromServiceAccountDocument(document);
      const account = await accounts.findOne({ _id: accountIdOfDefault(id) });
      return account && defaultServiceAccountOf(fromAccountDocument(account));
    },
    /** The default one first. */
    async listServiceAccounts(account: Account, { afterId, limit }: ListPart) {
      const first = defaultServiceAccountOf(account);
      const head = afterId === null ? [first] : [];
      const rest = await listPart(
        serviceAccounts,
        { accountId: account.id },
        { afterId: afterId === first.id ? null : afterId, limit: limit - head.length },
      );
      return [...head, ...rest.map(fromServiceAccountDocument)];
    },
    /** Of one that is not the default of its account. */
    changeServiceAccount(
      id: ServiceAccountId,
      changes: ServiceAccountChanges,
      announcement: Announcement,
    ) {
      return change(serviceAccounts, { _id: id }, changes, announcement);
    },
  };
}

/** Every change except the revocation applies to active Credentials only. */
function credentialVerbs(credentials: Collection<CredentialDocument>) {
  return {
    async insertCredential(credential: Credential, announcement: Announcement): Promise<void> {
      const { message, atMs } = announcement;
      await credentials.insertOne({
        ...toCredentialDocument(credential),
        ...newOutbox([message], atMs),
      });
    },
    /** The digests of all secrets; of a corrupt document none. */
    async *readSecretDigests(): AsyncGenerator<string> {
      const projection = { _id: 0, 'secrets.digest': 1 };
      for await (const { secrets } of credentials.find({}, { projection, batchSize: 1_000 })) {
        for (const one of [secrets].flat()) if (typeof one?.digest === 'string') yield one.digest;
      }
    },
    async findCredential(id: CredentialId): Promise<Credential | null> {
      const document = await credentials.findOne({ _id: id });
      return document && fromCredentialDocument(document);
    },
    async listCredentials(projectId: ProjectId, part: ListPart): Promise<Credential[]> {
      return (await listPart(credentials, { projectId }, part)).map(fromCredentialDocument);
    },
    /** At most `max` are counted. */
    countActiveCredentials(projectId: ProjectId, max: number): Promise<number> {
      return credentials.countDocuments({ projectId, state: 'active' }, { limit: max });
    },
    changeCredential(id: CredentialId, changes: CredentialChanges, announcement: Announcement) {
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
    revokeCredential(id: CredentialId, announcement: Announcement) {
      const revokedAt = dateOf(announcement.atMs);
      const filter = { _id: id, state: 'active' as const };
      return change(credentials, filter, { state: 'revoked', revokedAt }, announcement);
    },
  };
}

type OwnedDocument =
  | AccountDocument
  | ProjectDocument
  | ServiceAccountDocument
  | CredentialDocument;

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

async function listPart<Stored extends OwnedDocument>(
  collection: Collection<Stored>,
  owner: object,
  { afterId, limit }: ListPart,
) {
  const filter = { ...owner, ...(afterId === null ? {} : { _id: { $gt: afterId } }) };
  return collection
    .find(filter as Filter<Stored>)
    .sort({ _id: 1 })
    .limit(limit)
    .toArray();
}
