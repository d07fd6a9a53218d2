import type {
  AccountId,
  CredentialId,
  ProjectId,
  ServiceAccountId,
} from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { withDeadline } from '@inventory/runtime/wait';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { startOutbox } from '@inventory/work/outbox';
import type { Db } from 'mongodb';
import { defaultServiceAccountId } from './tenancy.domain.ts';
import { tenancyDocuments } from './tenancy-documents.ts';
import type { Announcement } from './tenancy-store.ts';

/** What is changed: its message is in the most specific of these documents. */
export interface ChangedThing {
  readonly accountId: AccountId;
  readonly projectId?: ProjectId;
  readonly serviceAccountId?: ServiceAccountId;
  readonly credentialId?: CredentialId;
}

/**
 * Makes a change: `write` stores it with its message in one write, and returns null where it stores
 * nothing. A stored change invalidates the cache of this replica, and its message is published to all.
 */
export type Announce = <Changed>(
  thing: ChangedThing,
  write: (announcement: Announcement) => Promise<Changed | null>,
) => Promise<Changed | null>;

/** Longest wait of an operator's response for the published message; it is sent later then. */
const publishWithinMs = 2_000;

/** Announces changes, and publishes the messages that a crash left in their documents. */
export function startAnnouncing(
  {
    db,
    publish,
    invalidate,
  }: {
    readonly db: Db;
    readonly publish: MessageBus['publish'];
    readonly invalidate: (accountId: AccountId) => void;
  },
  context: ServiceContext,
): Announce {
  const { clock, identifiers, logger } = context;
  const outboxOf = ({ collection: collectionName }: { readonly collection: string }) =>
    startOutbox(db, collectionName, publish, context);
  const accounts = outboxOf(tenancyDocuments.accounts);
  const projects = outboxOf(tenancyDocuments.projects);
  const serviceAccounts = outboxOf(tenancyDocuments.serviceAccounts);
  const credentials = outboxOf(tenancyDocuments.credentials);

  function flush({ accountId, projectId, serviceAccountId, credentialId }: ChangedThing) {
    if (credentialId !== undefined) return credentials.flush(credentialId);
    if (projectId !== undefined) return projects.flush(projectId);
    const isDefault = serviceAccountId === defaultServiceAccountId(accountId);
    if (serviceAccountId === undefined || isDefault) return accounts.flush(accountId);
    return serviceAccounts.flush(serviceAccountId);
  }

  return async (thing, write) => {
    const { accountId, projectId = null, credentialId = null } = thing;
    const atMs = clock.now();
    const body = { accountId, projectId, credentialId, atMs };
    const id = `authority-changed:${identifiers.uuidV7()}`;
    const changed = await write({ message: { type: 'authority.changed.v1', id, body }, atMs });
    if (changed === null) return null;
    invalidate(accountId);
    try {
      await withDeadline(flush(thing), publishWithinMs, 'publishing a change of a principal');
    } catch (error) {
      logger.warn({ err: error }, 'change of a principal not published yet');
    }
    return changed;
  };
}
