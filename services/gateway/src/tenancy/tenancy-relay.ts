import type { MessageBus } from '@inventory/messaging/bus';
import { withDeadline } from '@inventory/runtime/wait';
import { type Outbox, startOutbox } from '@inventory/work/outbox';
import type { StartWorkerDeps } from '@inventory/work/start-worker';
import type { Db } from 'mongodb';
import { tenancyCollections } from './tenancy-documents.ts';

/** Longest wait of an operator's response for the published message; it is sent later then. */
const flushDeadlineMs = 2_000;

interface TenancyRelay {
  /** Publishes the pending message of the most specific of the named documents. Never rejects. */
  flush(thing: {
    accountId: string;
    projectId?: string;
    serviceAccountId?: string;
    credentialId?: string;
  }): Promise<void>;
}

/** Publishes the pending messages of accounts, Projects, Service accounts and Credentials. */
export function startTenancyRelay(
  { db, bus }: { readonly db: Db; readonly bus: Pick<MessageBus, 'publish'> },
  deps: StartWorkerDeps,
): TenancyRelay {
  const { publish } = bus;
  const relayOf = (collectionName: string): Outbox =>
    startOutbox({ db, collectionName, publish }, deps);
  const accounts = relayOf(tenancyCollections.accounts);
  const projects = relayOf(tenancyCollections.projects);
  const serviceAccounts = relayOf(tenancyCollections.serviceAccounts);
  const credentials = relayOf(tenancyCollections.credentials);

  function flushOf(thing: Parameters<TenancyRelay['flush']>[0]): Promise<void> {
    if (thing.credentialId !== undefined) return credentials.flush(thing.credentialId);
    if (thing.projectId !== undefined) return projects.flush(thing.projectId);
    if (thing.serviceAccountId !== undefined) return serviceAccounts.flush(thing.serviceAccountId);
    return accounts.flush(thing.accountId);
  }

  return {
    async flush(thing) {
      try {
        await withDeadline(flushOf(thing), flushDeadlineMs, 'publishing a change of a principal');
      } catch (error) {
        deps.logger.warn({ err: error }, 'change of a principal not published yet');
      }
    },
  };
}
