import { secretDigest } from '@inventory/runtime/secret-digest';
import { newAccountId, newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createDigestSet } from '../tenancy/digest-set.domain.ts';
import type { FoundCredential } from '../tenancy/found-credential-store.ts';
import { mintSecret } from '../tenancy/issue-credential.ts';
import { createPrincipalCache } from '../tenancy/principal-cache.ts';
import {
  type Account,
  defaultServiceAccountId,
  defaultServiceAccountOf,
} from '../tenancy/tenancy.domain.ts';
import type { EventStream } from './event-streams.ts';
import { createStreamIndex } from './stream-index.ts';
import { watchStreamPrincipals } from './watch-stream-principals.ts';

/** A Credential that may read events, as it is stored. */
function storedCredential() {
  const [accountId, projectId, id] = [newAccountId(), newProjectId(), newCredentialId()];
  const secret = mintSecret(id);
  const owner = { state: 'active' as const, networkPolicy: null, createdAtMs: 0, changedAtMs: 0 };
  const account: Account = {
    ...{
      id: accountId,
      name: 'x',
      requestsPerMinute: 120,
      eventsEnabled: true,
      captureEnabled: true,
      ...owner,
    },
    ...{ defaultNetworkPolicy: null, trafficLimitPerMinute: null, hasServiceAccounts: false },
  };
  const stored: FoundCredential = {
    account,
    serviceAccount: defaultServiceAccountOf(account),
    project: { id: projectId, accountId, name: null, ...owner },
    credential: {
      ...{ id, accountId, projectId, name: null, permissions: ['customer.events.read.v1'] },
      ...{ serviceAccountId: defaultServiceAccountId(accountId), ...owner },
      ...{ expiresAtMs: null, rotation: 0, revokedAtMs: null },
      secrets: [{ digest: secretDigest(secret), issuedAtMs: 0, validUntilMs: null }],
    },
  };
  return { secret, accountId, stored };
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
  const cache = createPrincipalCache(store, createDigestSet(10), clock);
  const index = createStreamIndex<EventStream>();
  const open = new Set<EventStream>();
  const end = (stream: EventStream) => {
    if (open.delete(stream)) index.remove(stream);
  };
  const checks = watchStreamPrincipals({
    streams: { bySecret: index.bySecret, secretsOf: index.secretsOf, revoke: end, close: end },
    findBySecretDigest: store.findBySecretDigest,
    clock,
    everyMs: 30_000,
    logger: testLogger,
  });
  return {
    ...{ clock, open, checks },
    /** A request: authenticated by the cache, then admitted, which takes some time. */
    async openStream(admissionMs: number): Promise<void> {
      if ((await cache.findPrincipal(secret)) === null) return;
      await step();
      clock.advance(admissionMs);
      await step();
      const stream: EventStream = {
        ...{ accountId, secretDigest: secretDigest(secret), clientAddress: '127.0.0.1' },
        ...{ remote: '', queued: 0, taken: 0 },
        ...{ heartbeat() {}, takeWritten: () => false, end() {}, destroy() {} },
      };
      open.add(stream);
      index.add(stream);
      checks.opened(stream);
      await checks.checkDue();
    },
    /** The change is stored, then its message arrives: the cache is first, then the streams. */
    async revoke(): Promise<void> {
      await step();
      store.present = revoked;
      await step();
      cache.invalidate({ account_id: accountId });
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

        expect(replica.open.size).toBe(0);
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});
