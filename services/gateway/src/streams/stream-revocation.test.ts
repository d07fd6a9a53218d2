import { secretDigest } from '@inventory/runtime/secret-digest';
import { newCredentialId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { foundCredential } from '../../test/support/found-credential.ts';
import { createTestStreams, type RecordedConnection } from '../../test/support/test-streams.ts';
import { mintSecret } from '../tenancy/credentials.ts';
import { createPrincipalCache } from '../tenancy/principal-cache.ts';
import { watchStreamPrincipals } from './watch-stream-principals.ts';

/** A Credential that may read events, as it is stored. */
function storedCredential() {
  const credentialId = newCredentialId();
  const secret = mintSecret(credentialId);
  const stored = foundCredential({
    credential: {
      ...{ credentialId, scopes: ['customer.events.read.v1'] },
      secrets: [{ digest: secretDigest(secret), issuedAtMs: 0, validUntilMs: null }],
    },
  });
  return { secret, accountId: stored.account.accountId, stored };
}

/** One replica: its cache of Principals, its streams, and the checks of their Principals. */
function createReplica(step: () => Promise<void>) {
  const clock = createTestClock();
  const { secret, accountId, stored } = storedCredential();
  const { credential } = stored;
  const revoked = { ...stored, credential: { ...credential, state: 'revoked' as const } };
  const store = {
    present: stored,
    async findBySecretDigest() {
      await step();
      const seen = store.present;
      await step();
      return seen;
    },
  };
  const cache = createPrincipalCache(store.findBySecretDigest, clock);
  const opened: RecordedConnection[] = [];
  const checks = watchStreamPrincipals({
    findBySecretDigest: store.findBySecretDigest,
    clock,
    monotonicNow: clock.now,
    everyMs: 30_000,
    onDue: () => {},
    logger: testLogger,
  });
  const { open } = createTestStreams(clock, checks.watch);
  return {
    clock,
    opened,
    checks,
    /** A request: authenticated by the cache, then admitted, which takes some time. */
    async openStream(admissionMs: number): Promise<void> {
      if ((await cache.findPrincipal(secret)) === null) return;
      await step();
      clock.advance(admissionMs);
      await step();
      const { connection } = open({ accountId, secretDigest: secretDigest(secret) });
      opened.push(connection);
      await checks.checkDue();
    },
    /** The change is stored, then its message arrives: the cache is first, then the streams. */
    async revoke(): Promise<void> {
      await step();
      store.present = revoked;
      await step();
      cache.invalidate(accountId);
      checks.scheduleChecks(accountId);
      await checks.checkDue();
    },
  };
}

test('in every interleaving of a revocation and opening streams, each open stream ends without any time passing (Events: authority) [events-revoked]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(12_000), { minLength: 1, maxLength: 5 }),
      async (scheduler, admissionsMs) => {
        const replica = createReplica(() => scheduler.schedule(Promise.resolve()));
        // The Principal is cached before the change.
        await scheduler.waitFor(replica.openStream(0));

        await scheduler.waitFor(
          Promise.all([replica.revoke(), ...admissionsMs.map((ms) => replica.openStream(ms))]),
        );

        expect(replica.opened.filter(({ lastFrame }) => lastFrame === null)).toEqual([]);
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});
