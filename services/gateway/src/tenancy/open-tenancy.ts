import type { MessageBus } from '@inventory/messaging/bus';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { Broadcasts } from '../commands/open-broadcasts.ts';
import { createAnnouncer } from './announce-change.ts';
import { changeAccount, changeCredential, changeProject, changeServiceAccount } from './changes.ts';
import { createAccount, createProject, createServiceAccount } from './creations.ts';
import { issueCredential, revokeCredential, rotateCredential } from './credentials.ts';
import { createKnownSecrets, type KnownSecrets, knownSecretsMax } from './known-secrets.ts';
import { createPrincipalCache } from './principal-cache.ts';
import { startTenancyRelay } from './tenancy-relay.ts';
import { createTenancyStore } from './tenancy-store.ts';

export type Tenancy = Awaited<ReturnType<typeof openTenancy>>;

/**
 * Accounts, Projects, Service accounts and Credentials: the operations on them, and the Principals of secrets. The
 * database must have `tenancyIndexes`. The cache of Principals is invalidated by published changes. Resolves
 * once the digests of all secrets were read.
 */
export async function openTenancy(
  context: Pick<ServiceContext, 'clock' | 'identifiers' | 'lifetime' | 'logger'>,
  {
    db,
    bus,
    broadcasts,
  }: {
    readonly db: Db;
    readonly bus: Pick<MessageBus, 'publish'>;
    readonly broadcasts: Broadcasts;
  },
) {
  const { clock, identifiers } = context;
  const store = createTenancyStore(db);
  const known = createKnownSecrets(store);
  const principals = createPrincipalCache(store, known, clock);
  const { invalidate } = principals;
  broadcasts.invalidateOn(['authority.changed.v1'], ({ body }) => invalidate(body));
  await readKnownSecrets(known, context);
  const relay = startTenancyRelay({ db, bus }, context);
  const announcer = createAnnouncer({ clock, identifiers, invalidate, relay: relay.flush });
  const { findAccount, listAccounts, findProject, listProjects } = store;
  const { findServiceAccount, listServiceAccounts } = store;
  const { findCredential, listCredentials, countActiveCredentials, findBySecretDigest } = store;
  return {
    principals,
    findAccount,
    listAccounts,
    findProject,
    listProjects,
    findServiceAccount,
    listServiceAccounts,
    findCredential,
    listCredentials,
    countActiveCredentials,
    findBySecretDigest,
    createAccount: createAccount.bind(null, store, context),
    changeAccount: changeAccount.bind(null, store, announcer),
    createProject: createProject.bind(null, store, context),
    changeProject: changeProject.bind(null, store, announcer),
    createServiceAccount: createServiceAccount.bind(null, store, announcer, context),
    changeServiceAccount: changeServiceAccount.bind(null, store, announcer),
    issueCredential: issueCredential.bind(null, store, announcer, identifiers),
    changeCredential: changeCredential.bind(null, store, announcer),
    rotateCredential: rotateCredential.bind(null, store, announcer),
    revokeCredential: revokeCredential.bind(null, store, announcer),
  };
}

const readEveryMs = 600_000;

/** Once now, and again from time to time. */
async function readKnownSecrets(
  known: KnownSecrets,
  { lifetime, logger }: Pick<ServiceContext, 'lifetime' | 'logger'>,
): Promise<void> {
  async function runOnce(): Promise<void> {
    await known.read();
    if (known.size < knownSecretsMax) return;
    logger.warn(
      { secrets_max: knownSecretsMax },
      'more secrets than can be known: the limit of unknown keys applies to the others',
    );
  }
  await runOnce();
  startPeriodicJob({
    name: 'known secrets',
    intervalMs: readEveryMs,
    firstDelayMs: readEveryMs,
    lifetime,
    logger,
    runOnce,
  });
}
