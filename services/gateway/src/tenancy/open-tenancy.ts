import type { MessageBus } from '@inventory/messaging/bus';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ServiceContext } from '@inventory/service-host/service-context';
import type { Db } from 'mongodb';
import type { Broadcasts } from '../commands/open-broadcasts.ts';
import { createAnnouncer } from './announce-change.ts';
import { changeAccount, changeCredential, changeProject, changeServiceAccount } from './changes.ts';
import { createAccount, createProject, createServiceAccount } from './creations.ts';
import { issueCredential } from './issue-credential.ts';
import { createKnownSecrets, type KnownSecrets, knownSecretsMax } from './known-secrets.ts';
import { createPrincipalCache } from './principal-cache.ts';
import { revokeCredential } from './revoke-credential.ts';
import { rotateCredential } from './rotate-credential.ts';
import { startTenancyRelay } from './tenancy-relay.ts';
import { createTenancyStore } from './tenancy-store.ts';

interface TenancyDeps
  extends Pick<ServiceContext, 'clock' | 'identifiers' | 'lifetime' | 'logger'> {
  readonly db: Db;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly broadcasts: Broadcasts;
}

export type Tenancy = Awaited<ReturnType<typeof openTenancy>>;

/**
 * Accounts, Projects, Service accounts and Credentials: the operations on them, and the Principals of secrets. The
 * database must have `tenancyIndexes`. The cache of Principals is invalidated by published changes. Resolves
 * once the digests of all secrets were read.
 */
export async function openTenancy({ broadcasts, ...deps }: TenancyDeps) {
  const { db, clock, identifiers } = deps;
  const store = createTenancyStore(db);
  const known = createKnownSecrets(store);
  const principals = createPrincipalCache(store, known, clock);
  const { invalidate } = principals;
  broadcasts.invalidateOn(['authority.changed.v1'], ({ body }) => invalidate(body));
  await readKnownSecrets(known, deps);
  const relay = startTenancyRelay(deps, deps);
  const announcer = createAnnouncer({ clock, identifiers, invalidate, relay: relay.flush });
  const creation = { store, clock, identifiers };
  const change = { store, announcer };
  const { findAccount, listAccounts, findProject, listProjects } = store;
  const { findServiceAccount, listServiceAccounts } = store;
  const { findCredential, listCredentials, findBySecretDigest } = store;
  return {
    principals,
    ...{ findAccount, listAccounts, findProject, listProjects },
    ...{ findServiceAccount, listServiceAccounts },
    ...{ findCredential, listCredentials, findBySecretDigest },
    createAccount: createAccount.bind(null, creation),
    changeAccount: changeAccount.bind(null, change),
    createProject: createProject.bind(null, creation),
    changeProject: changeProject.bind(null, change),
    createServiceAccount: createServiceAccount.bind(null, { ...creation, announcer }),
    changeServiceAccount: changeServiceAccount.bind(null, change),
    issueCredential: issueCredential.bind(null, { ...creation, announcer }),
    changeCredential: changeCredential.bind(null, change),
    rotateCredential: rotateCredential.bind(null, change),
    revokeCredential: revokeCredential.bind(null, change),
  };
}

const readEveryMs = 600_000;

/** Once now, and again from time to time. */
async function readKnownSecrets(
  known: KnownSecrets,
  { lifetime, logger }: Pick<TenancyDeps, 'lifetime' | 'logger'>,
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
