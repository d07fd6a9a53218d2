import type { MessageBus } from '@inventory/messaging/bus';
import { type OutboxRelay, startOutboxRelay } from '@inventory/mongo/outbox';
import type { Clock } from '@inventory/runtime/clock';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { withDeadline } from '@inventory/runtime/wait';
import type { Db } from 'mongodb';
import { tenancyCollections } from './tenancy-documents.ts';

/**
 * Longest wait of an operator's response for the published message; after it the sweeper sends it.
 */
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

interface TenancyRelayDeps {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly clock: Clock;
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly logger: Logger;
}

/** Publishes the pending messages of accounts, Projects, Service accounts and Credentials. */
export function startTenancyRelay({
  db,
  bus,
  clock,
  lifetime,
  logger,
}: TenancyRelayDeps): TenancyRelay {
  const relayOf = (name: string): OutboxRelay =>
    startOutboxRelay({
      db,
      collectionName: name,
      publish: bus.publish,
      now: clock.now,
      lifetime,
      logger,
    });
  const accounts = relayOf(tenancyCollections.accounts);
  const projects = relayOf(tenancyCollections.projects);
  const serviceAccounts = relayOf(tenancyCollections.serviceAccounts);
  const credentials = relayOf(tenancyCollections.credentials);

  function flushOf(thing: Parameters<TenancyRelay['flush']>[0]): Promise<void> {
    if (thing.credentialId !== undefined) return credentials.flush([thing.credentialId]);
    if (thing.projectId !== undefined) return projects.flush([thing.projectId]);
    if (thing.serviceAccountId !== undefined) {
      return serviceAccounts.flush([thing.serviceAccountId]);
    }
    return accounts.flush([thing.accountId]);
  }

  return {
    async flush(thing) {
      try {
        await withDeadline(flushOf(thing), flushDeadlineMs, 'publishing a change of a principal');
      } catch (error) {
        logger.warn({ err: error }, 'change of a principal not published yet; the sweeper retries');
      }
    },
  };
}
