import { parseDocument } from '@inventory/mongo/parse-document';
import { sharedCommands } from '@inventory/mongo/shared-commands';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { Collection, Filter, WithId } from 'mongodb';
import {
  accountIdOfDefault,
  defaultServiceAccountOf,
  type FoundCredential,
} from './tenancy.domain.ts';
import {
  type AccountDocument,
  type CredentialDocument,
  type ProjectDocument,
  type ServiceAccountDocument,
  tenancyDocuments,
} from './tenancy-documents.ts';

export interface TenancyCollections {
  readonly accounts: Collection<AccountDocument>;
  readonly projects: Collection<ProjectDocument>;
  readonly serviceAccounts: Collection<ServiceAccountDocument>;
  readonly credentials: Collection<CredentialDocument>;
}

/** As many as the driver reads with one command. */
const credentialsPerRead = 100;

/**
 * Finds a Credential by the digest of its secret; null when there is none. Its owners are joined on
 * read: a change of an owner writes to that owner only. Lookups that come together share their
 * reads, and each fails alone where its own documents are corrupt.
 */
export function createCredentialFinder(
  collections: TenancyCollections,
): (secretDigest: string) => Promise<FoundCredential | null> {
  const lookUps = createBatcher<string, () => FoundCredential | null>({
    ...sharedCommands,
    itemsMax: credentialsPerRead,
    flush: (digests) => readCredentials(collections, digests),
  });
  return async (secretDigest) => {
    const join = await lookUps.add(secretDigest);
    return join();
  };
}

async function readCredentials(
  { accounts, projects, serviceAccounts, credentials }: TenancyCollections,
  digests: readonly string[],
): Promise<(() => FoundCredential | null)[]> {
  const found = await credentials.find({ 'secrets.digest': { $in: digests } }).toArray();
  const [ofProjects, ofAccounts, ofServiceAccounts] = await Promise.all([
    readByIds(
      projects,
      found.map(({ projectId }) => projectId),
    ),
    readByIds(
      accounts,
      found.map(({ accountId }) => accountId),
    ),
    readByIds(serviceAccounts, found.flatMap(otherServiceAccount)),
  ]);
  const ofDigests = new Map(
    found.flatMap((one) => one.secrets.map(({ digest }) => [digest, one] as const)),
  );
  return digests.map((digest) => () => {
    const document = ofDigests.get(digest);
    if (document === undefined) return null;
    const credential = parseDocument(tenancyDocuments.credentials, document);
    const storedProject = ofProjects.get(credential.projectId);
    const storedAccount = ofAccounts.get(credential.accountId);
    if (storedProject === undefined || storedAccount === undefined) return null;
    const account = parseDocument(tenancyDocuments.accounts, storedAccount);
    const byDefault = defaultServiceAccountOf(account);
    const isDefault = credential.serviceAccountId === byDefault.serviceAccountId;
    const other = ofServiceAccounts.get(credential.serviceAccountId);
    if (!isDefault && other === undefined) return null;
    const serviceAccount = other
      ? parseDocument(tenancyDocuments.serviceAccounts, other)
      : byDefault;
    const project = parseDocument(tenancyDocuments.projects, storedProject);
    return { credential, project, account, serviceAccount };
  });
}

/**
 * The Service account where it is not the default one, which is read from the account. The document
 * is not parsed yet: a corrupt one may have anything as an id.
 */
function otherServiceAccount({ accountId, serviceAccountId: id }: CredentialDocument) {
  return typeof id !== 'string' || accountIdOfDefault(id) === accountId ? [] : [id];
}

async function readByIds<Stored extends { readonly _id: string }>(
  collection: Collection<Stored>,
  ids: readonly Stored['_id'][],
): Promise<ReadonlyMap<string, WithId<Stored>>> {
  if (ids.length === 0) return new Map();
  const filter = { _id: { $in: [...new Set(ids)] } };
  const found = await collection.find(filter as Filter<Stored>).toArray();
  return new Map(found.map((one) => [one._id, one]));
}
