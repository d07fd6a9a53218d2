import { secretDigest } from '@inventory/runtime/secret-digest';
import { newAccountId, newCredentialId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { foundCredential } from '../../test/support/found-credential.ts';
import { mintSecret } from './credentials.ts';
import { createPrincipalCache } from './principal-cache.ts';
import type { FoundCredential } from './tenancy.domain.ts';

/** A store with one Credential, that counts its reads and can be made to wait. */
function createFixture() {
  const clock = createTestClock();
  const credentialId = newCredentialId();
  const secret = mintSecret(credentialId);
  const secrets = [{ digest: secretDigest(secret), issuedAtMs: clock.now(), validUntilMs: null }];
  let stored = foundCredential({
    account: { eventsEnabled: false },
    credential: { credentialId, secrets },
  });
  const accountId = stored.account.accountId;
  let reads = 0;
  let gate: Promise<void> | undefined;
  const store = {
    async findBySecretDigest(digest: string) {
      reads += 1;
      const found = stored.credential.secrets.some((known) => known.digest === digest);
      const seen = stored;
      const waiting = gate;
      gate = undefined;
      await waiting;
      return found ? seen : null;
    },
  };
  return {
    clock,
    accountId,
    secret,
    principals: createPrincipalCache(store.findBySecretDigest, clock),
    reads: () => reads,
    revoke() {
      stored = { ...stored, credential: { ...stored.credential, state: 'revoked' } };
    },
    /** Changes the Credential and its owners. */
    change(changes: { readonly [Part in keyof FoundCredential]?: Partial<FoundCredential[Part]> }) {
      const { credential, project, account, serviceAccount } = stored;
      stored = {
        credential: { ...credential, ...changes.credential },
        project: { ...project, ...changes.project },
        account: { ...account, ...changes.account },
        serviceAccount: { ...serviceAccount, ...changes.serviceAccount },
      };
    },
    reactivateAs(state: 'active' | 'suspended') {
      stored = { ...stored, account: { ...stored.account, state } };
    },
    /** The next read ends when the returned function is called; later ones pass it by. */
    hold(): () => void {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      return held.resolve;
    },
  };
}

test('a malformed key is refused without a store read [credential-secret]', async () => {
  const { principals, secret, reads } = createFixture();

  expect(await principals.findPrincipal('')).toBeNull();
  expect(await principals.findPrincipal(`${secret.slice(0, -1)}-`)).toBeNull();

  expect(reads()).toBe(0);
});

test('many requests with one key read the store once in 5 s, also when they come together', async () => {
  const { principals, secret, clock, reads, hold } = createFixture();
  const release = hold();

  const together = Array.from({ length: 50 }, () => principals.findPrincipal(secret));
  release();
  await Promise.all(together);
  clock.advance(4_999);
  await principals.findPrincipal(secret);
  expect(reads()).toBe(1);

  clock.advance(1);
  await principals.findPrincipal(secret);
  expect(reads()).toBe(2);
});

test('a revocation whose announcement is lost is effective within 5 s', async () => {
  const { principals, secret, clock, revoke } = createFixture();
  expect(await principals.findPrincipal(secret)).not.toBeNull();

  revoke();
  clock.advance(5_000);

  expect(await principals.findPrincipal(secret)).toBeNull();
});

test('an announced change is effective at once, and other accounts stay cached', async () => {
  const { principals, secret, accountId, revoke, reads } = createFixture();
  await principals.findPrincipal(secret);

  principals.invalidate(newAccountId());
  await principals.findPrincipal(secret);
  expect(reads()).toBe(1);

  revoke();
  principals.invalidate(accountId);
  expect(await principals.findPrincipal(secret)).toBeNull();
});

test('what was read before a change is not kept after it, however late it comes', async () => {
  const { principals, secret, accountId, clock, revoke, hold } = createFixture();
  const release = hold();
  const early = principals.findPrincipal(secret);

  revoke();
  principals.invalidate(accountId);
  expect(await principals.findPrincipal(secret)).toBeNull();
  release();
  await early;

  clock.advance(1_000);
  expect(await principals.findPrincipal(secret)).toBeNull();
});

test('an unknown key costs one store read a second, and a reactivation is seen at once [bookings]', async () => {
  const { principals, secret, accountId, clock, reactivateAs, reads } = createFixture();
  reactivateAs('suspended');
  expect(await principals.findPrincipal(secret)).toBeNull();
  clock.advance(999);
  expect(await principals.findPrincipal(secret)).toBeNull();
  expect(reads()).toBe(1);

  reactivateAs('active');
  principals.invalidate(accountId);
  expect(await principals.findPrincipal(secret)).not.toBeNull();
});

const pastMs = createTestClock().now() - 1;
const otherSecret = { digest: 'of another', issuedAtMs: 0, validUntilMs: null };

test.each([
  ['its Credential is revoked', { credential: { state: 'revoked' } }],
  ['its Credential has expired', { credential: { expiresAtMs: pastMs } }],
  ['it was replaced', { credential: { secrets: [otherSecret] } }],
  ['its Project is suspended', { project: { state: 'suspended' } }],
  ['its account is suspended', { account: { state: 'suspended' } }],
] satisfies [string, Parameters<ReturnType<typeof createFixture>['change']>[0]][])(
  'where %s, no Principal is read of a secret that the cache still has (Tenancy) [credential-state]',
  async (_how, changes) => {
    const { principals, secret, change } = createFixture();
    const read = () => principals.readPrincipal(secretDigest(secret));
    const cached = await principals.findPrincipal(secret);
    expect(await read()).toEqual(cached);

    change(changes);

    expect([await principals.findPrincipal(secret), await read()]).toEqual([cached, null]);
  },
);

test('a Principal is read with the rights that it has now, whatever the cache has', async () => {
  const { principals, secret, change } = createFixture();
  await principals.findPrincipal(secret);

  change({ account: { eventsEnabled: true }, serviceAccount: { networkPolicy: ['192.0.2.0/24'] } });

  expect(await principals.readPrincipal(secretDigest(secret))).toMatchObject({
    eventsEnabled: true,
    networkPolicies: [['192.0.2.0/24']],
  });
});

test('a clock that was set back makes nothing live longer', async () => {
  const { principals, secret, clock, revoke } = createFixture();
  await principals.findPrincipal(secret);

  revoke();
  clock.advance(-3_600_000);

  expect(await principals.findPrincipal(secret)).toBeNull();
});

test('a store that cannot be read is an error, not an unknown key', async () => {
  const { clock, secret } = createFixture();
  const store = { findBySecretDigest: () => Promise.reject(new Error('no server')) };
  const principals = createPrincipalCache(store.findBySecretDigest, clock);

  await expect(principals.findPrincipal(secret)).rejects.toThrow('no server');
  await expect(principals.findPrincipal(secret)).rejects.toThrow('no server');
});

test('a key is unseen until it is found, and again once it is revoked; one that was made up, but while its refusal is kept; a malformed one never [unknown-keys]', async () => {
  const { principals, secret, clock, revoke } = createFixture();
  const madeUp = mintSecret(newCredentialId());
  const unseen = () => [secret, madeUp, 'malformed'].map((key) => principals.isUnseen(key));
  expect(unseen()).toEqual([true, true, false]);

  await principals.findPrincipal(secret);
  await principals.findPrincipal(madeUp);
  expect(unseen()).toEqual([false, false, false]);
  clock.advance(3_600_000);
  expect(unseen()).toEqual([false, true, false]);

  revoke();
  await principals.findPrincipal(secret);
  clock.advance(1_001);
  expect(unseen()).toEqual([true, true, false]);
});
