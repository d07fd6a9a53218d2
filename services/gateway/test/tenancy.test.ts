import type { CredentialId } from '@inventory/contracts/ids';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { systemClock } from '@inventory/runtime/clock';
import { newCredentialId } from '@inventory/testkit/builders';
import { recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace, testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Announce } from '../src/tenancy/announce-changes.ts';
import { mintSecret, rotateCredential } from '../src/tenancy/credentials.ts';
import type { Credential } from '../src/tenancy/tenancy.domain.ts';
import { createTenancyStore } from '../src/tenancy/tenancy-store.ts';
import { newCustomer, openTenancyReplica, type TenancyReplica } from './support/tenancy-replica.ts';

let namespace: TestNamespace;
let here: TenancyReplica;
let there: TenancyReplica;

beforeAll(async () => {
  namespace = await openNamespace();
  [here, there] = await Promise.all([
    openTenancyReplica({ namespace }),
    // Its clock does not move: what it has cached stays until a change is announced to it.
    openTenancyReplica({ namespace, clock: createTestClock(systemClock.now()) }),
  ]);
});

afterAll(async () => {
  await Promise.all([here?.close(), there?.close()]);
});

async function seenElsewhere(secret: string, expected: 'a key' | 'no key'): Promise<void> {
  await waitFor(
    `the other replica takes the secret for ${expected}`,
    async () =>
      ((await there.tenancy.principals.findPrincipal(secret)) === null) === (expected === 'no key'),
  );
}

/** Resolves for all when this many callers wait. */
function barrier(parties: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === parties) all.resolve();
    return all.promise;
  };
}

function announcementOf({ credentialId, accountId, projectId }: Credential): OutgoingMessage {
  const body = { accountId, projectId, credentialId, atMs: systemClock.now() };
  return { type: 'authority.changed.v1', id: `authority-changed:${credentialId}`, body };
}

test('an issued secret is accepted by every replica at once, with what its owners say', async () => {
  const { account, project, credential, secret } = await newCustomer(here.tenancy);

  expect(await there.tenancy.principals.findPrincipal(secret)).toEqual({
    environment: 'live',
    accountId: account.accountId,
    serviceAccountId: credential.serviceAccountId,
    projectId: project.projectId,
    credentialId: credential.credentialId,
    permissions: ['*'],
    expiresAtMs: null,
    networkPolicies: [],
    eventsEnabled: false,
    captureEnabled: true,
    requestsPerMinute: 120,
    trafficLimitPerMinute: null,
    hasServiceAccounts: false,
  });
});

test('a well-formed secret that was never issued is not valid', async () => {
  expect(await here.tenancy.principals.findPrincipal(mintSecret(newCredentialId()))).toBeNull();
});

test('a revocation is seen by another replica although it has the key cached', async () => {
  const { credential, secret } = await newCustomer(here.tenancy);
  expect(await there.tenancy.principals.findPrincipal(secret)).not.toBeNull();

  await here.tenancy.revokeCredential(credential.credentialId);

  expect(await here.tenancy.principals.findPrincipal(secret)).toBeNull();
  await seenElsewhere(secret, 'no key');
});

test('a suspension of the account or the Project stops its keys everywhere, and is taken back', async () => {
  const { account, project, secret } = await newCustomer(here.tenancy);
  await seenElsewhere(secret, 'a key');

  await here.tenancy.changeAccount(account.accountId, { state: 'suspended' });
  await seenElsewhere(secret, 'no key');
  await here.tenancy.changeAccount(account.accountId, { state: 'active' });
  await seenElsewhere(secret, 'a key');
  await here.tenancy.changeProject(project.projectId, { state: 'suspended' });
  await seenElsewhere(secret, 'no key');
  await here.tenancy.changeProject(project.projectId, { state: 'active' });
  await seenElsewhere(secret, 'a key');
});

test('a change of permissions, policy, limit or events reaches keys that are in use elsewhere', async () => {
  const { account, project, credential, secret } = await newCustomer(here.tenancy);
  await seenElsewhere(secret, 'a key');

  await here.tenancy.changeCredential(credential.credentialId, {
    scopes: ['customer.events.read.v1'],
    networkPolicy: ['192.0.2.1/32'],
  });
  await here.tenancy.changeProject(project.projectId, { networkPolicy: ['192.0.2.0/24'] });
  await here.tenancy.changeAccount(account.accountId, {
    rateLimitPerMinute: 9,
    eventsEnabled: true,
    captureEnabled: false,
  });

  const seen = await waitFor('the other replica has all three changes', async () => {
    const principal = await there.tenancy.principals.findPrincipal(secret);
    return principal?.requestsPerMinute === 9 && principal;
  });
  expect(seen).toMatchObject({
    permissions: ['customer.events.read.v1'],
    networkPolicies: [['192.0.2.0/24'], ['192.0.2.1/32']],
    eventsEnabled: true,
    captureEnabled: false,
  });
});

test('rotation: the new secret works, the old one stops at once, the Credential stays', async () => {
  const { credential, secret } = await newCustomer(here.tenancy);
  await seenElsewhere(secret, 'a key');

  const rotated = await here.tenancy.rotateCredential({
    credentialId: credential.credentialId,
    overlapMs: 0,
  });

  await seenElsewhere(secret, 'no key');
  const principal = await there.tenancy.principals.findPrincipal(rotated.secret);
  expect(principal?.credentialId).toBe(credential.credentialId);
});

test('rotation with an overlap: both secrets work until it ends', async () => {
  const clock = createTestClock(systemClock.now());
  const replica = await openTenancyReplica({ namespace, clock });
  try {
    const { tenancy } = replica;
    const { credential, secret } = await newCustomer(tenancy);
    const rotation = { credentialId: credential.credentialId, overlapMs: 60_000 };
    const rotated = await tenancy.rotateCredential(rotation);

    clock.advance(59_999);
    expect(await tenancy.principals.findPrincipal(secret)).not.toBeNull();
    clock.advance(1);
    expect(await tenancy.principals.findPrincipal(secret)).toBeNull();
    expect(await tenancy.principals.findPrincipal(rotated.secret)).not.toBeNull();
  } finally {
    await replica.close();
  }
});

test('of rotations at once one succeeds, so no returned secret is invalid', async () => {
  const { credential, secret } = await newCustomer(here.tenancy);
  const store = createTenancyStore(here.db, testLogger);
  const announced = { message: announcementOf(credential), atMs: systemClock.now() };
  const announce: Announce = (_thing, write) => write(announced);
  const allHaveRead = barrier(3);
  const requireAfterAll = async (id: CredentialId) => {
    const found = await store.credentials.require(id);
    await allHaveRead();
    return found;
  };
  const credentials = { ...store.credentials, require: requireAfterAll };

  const rotation = { credentialId: credential.credentialId, overlapMs: 0 };
  const results = await Promise.allSettled(
    [1, 2, 3].map(() => rotateCredential({ ...store, credentials }, announce, rotation)),
  );

  const rotated = results.filter((result) => result.status === 'fulfilled');
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused.map(({ reason }) => reason.refusal.code)).toEqual([
    'concurrent_change',
    'concurrent_change',
  ]);
  const [winner] = rotated.map(({ value }) => value.secret);
  expect(await here.tenancy.principals.findPrincipal(winner ?? '')).not.toBeNull();
  expect(await here.tenancy.principals.findPrincipal(secret)).toBeNull();
});

test('changes of different fields at the same time all stay', async () => {
  const { account } = await newCustomer(here.tenancy);

  await Promise.all([
    here.tenancy.changeAccount(account.accountId, { rateLimitPerMinute: 7 }),
    there.tenancy.changeAccount(account.accountId, { eventsEnabled: true }),
    here.tenancy.changeAccount(account.accountId, { networkPolicy: ['10.0.0.0/8'] }),
    there.tenancy.changeAccount(account.accountId, { state: 'suspended' }),
  ]);

  expect(await here.tenancy.findAccount(account.accountId)).toMatchObject({
    rateLimitPerMinute: 7,
    eventsEnabled: true,
    networkPolicy: ['10.0.0.0/8'],
    state: 'suspended',
  });
});

test('a revoked Credential stays as it ended, and revoking it again answers the same', async () => {
  const { credential } = await newCustomer(here.tenancy);
  const revoked = await here.tenancy.revokeCredential(credential.credentialId);

  expect(await there.tenancy.revokeCredential(credential.credentialId)).toEqual(revoked);
  const rotation = { credentialId: credential.credentialId, overlapMs: 0 };
  await expect(here.tenancy.rotateCredential(rotation)).rejects.toMatchObject({
    refusal: { code: 'credential_revoked' },
  });
  await expect(
    here.tenancy.changeCredential(credential.credentialId, { scopes: ['*'] }),
  ).rejects.toMatchObject({ refusal: { code: 'credential_revoked' } });
});

test('an announcement that could not be sent is sent by whichever replica sweeps next', async () => {
  const sent = await recordMessages(there.bus, ['authority.changes.v1']);
  const cutOff = await openTenancyReplica({
    namespace,
    publish: () => Promise.reject(new Error('no broker')),
  });
  try {
    const { account, project, credential } = await newCustomer(cutOff.tenancy);

    await cutOff.tenancy.revokeCredential(credential.credentialId);

    await waitFor('a replica that can publish announces the change', () =>
      sent
        .of('authority.changed.v1')
        .find(
          (change) =>
            change.accountId === account.accountId &&
            change.projectId === project.projectId &&
            change.credentialId === credential.credentialId,
        ),
    );
  } finally {
    await cutOff.close();
  }
});

test('the store holds no secret, only its digest [credential-secret]', async () => {
  const { credential, secret } = await newCustomer(here.tenancy);

  const stored = JSON.stringify(await here.tenancy.findCredential(credential.credentialId));

  expect(stored).not.toContain(secret.split('_')[2]);
  expect(stored).toMatch(/"digest":"[0-9a-f]{64}"/);
});
