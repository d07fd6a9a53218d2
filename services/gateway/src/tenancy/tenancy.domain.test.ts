import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { foundCredential } from '../../test/support/found-credential.ts';
import { acceptSecret, isStillValid, overlapEndMs, rotateSecrets } from './tenancy.domain.ts';

const nowMs = Date.UTC(2026, 0, 1);
const found = foundCredential({
  credential: { secrets: [{ digest: 'first', issuedAtMs: nowMs, validUntilMs: null }] },
});
const { account, project, credential, serviceAccount } = found;

test('a secret stands for its Credential with what its owners add (Tenancy)', () => {
  const accepted = acceptSecret('first', {
    credential: { ...credential, networkPolicy: ['192.0.2.0/24'] },
    project,
    account: { ...account, networkPolicy: ['0.0.0.0/0'], trafficLimitPerMinute: 9 },
    serviceAccount: { ...serviceAccount, networkPolicy: ['192.0.0.0/8'], rateLimitPerMinute: 7 },
  });

  expect(accepted?.principal).toEqual({
    environment: 'live',
    accountId: account.accountId,
    projectId: project.projectId,
    serviceAccountId: serviceAccount.serviceAccountId,
    credentialId: credential.credentialId,
    permissions: ['*'],
    expiresAtMs: null,
    networkPolicies: [['0.0.0.0/0'], ['192.0.0.0/8'], ['192.0.2.0/24']],
    eventsEnabled: true,
    captureEnabled: true,
    requestsPerMinute: 7,
    trafficLimitPerMinute: 9,
    hasServiceAccounts: false,
  });
});

test.each([
  ['its Credential is revoked', { credential: { ...credential, state: 'revoked' as const } }],
  ['its Project is suspended', { project: { ...project, state: 'suspended' as const } }],
  ['its account is suspended', { account: { ...account, state: 'suspended' as const } }],
])('a secret stands for nothing when %s', (_why, changed) => {
  expect(acceptSecret('first', { ...found, ...changed })).toBeNull();
});

test('an expired Credential is refused from the instant of its expiry on', () => {
  const expiring = { ...credential, expiresAtMs: nowMs + 1_000 };
  const accepted = acceptSecret('first', { ...found, credential: expiring });

  expect(accepted && isStillValid(accepted, nowMs + 999)).toBe(true);
  expect(accepted && isStillValid(accepted, nowMs + 1_000)).toBe(false);
});

test('without an overlap the replaced secret stops at once', () => {
  const secrets = rotateSecrets(credential, { digest: 'second', nowMs, overlapMs: 0 });
  const rotated = { ...credential, secrets };

  expect(acceptSecret('first', { ...found, credential: rotated })).toBeNull();
  expect(acceptSecret('second', { ...found, credential: rotated })).not.toBeNull();
  expect(overlapEndMs(rotated, nowMs)).toBeNull();
});

test('with an overlap the replaced secret lives until its end, and never past the expiry', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 600_000 }),
      fc.option(fc.integer({ min: 1, max: 600_000 })),
      fc.integer({ min: 0, max: 700_000 }),
      (overlapMs, expiresInMs, atMs) => {
        const expiresAtMs = expiresInMs === null ? null : nowMs + expiresInMs;
        const secrets = rotateSecrets(credential, { digest: 'second', nowMs, overlapMs });
        const changed = { ...credential, expiresAtMs, secrets };
        const accepted = acceptSecret('first', { ...found, credential: changed });
        const endsInMs = Math.min(overlapMs, expiresInMs ?? overlapMs);
        expect(accepted && isStillValid(accepted, nowMs + atMs)).toBe(atMs < endsInMs);
      },
    ),
    { numRuns: propertyRuns(3_000) },
  );
});

test('however often a Credential is rotated, at most two of its secrets are known', () => {
  const rotations = fc.array(fc.record({ afterMs: fc.nat(10_000), overlapMs: fc.nat(20_000) }), {
    minLength: 1,
    maxLength: 6,
  });

  fc.assert(
    fc.property(rotations, (made) => {
      let rotated = credential;
      let atMs = nowMs;
      for (const [index, { afterMs, overlapMs }] of made.entries()) {
        atMs += afterMs;
        const rotation = { digest: `rotation ${index}`, nowMs: atMs, overlapMs };
        rotated = { ...rotated, secrets: rotateSecrets(rotated, rotation) };
      }
      const known = ['first', ...made.map((_, index) => `rotation ${index}`)].filter((digest) => {
        const accepted = acceptSecret(digest, { ...found, credential: rotated });
        return accepted && isStillValid(accepted, atMs);
      });
      const last = made.at(-1);
      const replaced = made.length > 1 ? `rotation ${made.length - 2}` : 'first';
      const expected = [`rotation ${made.length - 1}`];
      expect(known).toEqual(last && last.overlapMs > 0 ? [replaced, ...expected] : expected);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});
