import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  type Account,
  acceptSecret,
  type Credential,
  defaultServiceAccountId,
  defaultServiceAccountOf,
  isStillValid,
  overlapEndMs,
  type Project,
  rotateSecrets,
  type ServiceAccount,
} from './tenancy.domain.ts';

const nowMs = Date.UTC(2026, 0, 1);
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057';
const times = { createdAtMs: nowMs, changedAtMs: nowMs };

const account: Account = {
  id: `acc_${uuid}`,
  name: 'Trader',
  state: 'active',
  networkPolicy: null,
  requestsPerMinute: 120,
  defaultNetworkPolicy: null,
  trafficLimitPerMinute: null,
  hasServiceAccounts: false,
  eventsEnabled: true,
  captureEnabled: true,
  ...times,
};
const project: Project = {
  id: `prj_${uuid}`,
  accountId: account.id,
  name: null,
  state: 'active',
  networkPolicy: null,
  ...times,
};
const credential: Credential = {
  id: `cred_${uuid}`,
  accountId: account.id,
  projectId: project.id,
  serviceAccountId: defaultServiceAccountId(account.id),
  name: null,
  state: 'active',
  permissions: ['*'],
  expiresAtMs: null,
  networkPolicy: null,
  secrets: [{ digest: 'first', issuedAtMs: nowMs, validUntilMs: null }],
  rotation: 0,
  revokedAtMs: null,
  ...times,
};

const serviceAccount: ServiceAccount = defaultServiceAccountOf(account);

test('a secret stands for its Credential with what its owners add (Tenancy)', () => {
  const accepted = acceptSecret(
    'first',
    { ...credential, networkPolicy: ['192.0.2.0/24'] },
    project,
    { ...account, networkPolicy: ['0.0.0.0/0'], trafficLimitPerMinute: 9 },
    { ...serviceAccount, networkPolicy: ['192.0.0.0/8'], requestsPerMinute: 7 },
  );

  expect(accepted?.principal).toEqual({
    accountId: account.id,
    projectId: project.id,
    serviceAccountId: serviceAccount.id,
    credentialId: credential.id,
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
  ['its Credential is revoked', { ...credential, state: 'revoked' as const }, project, account],
  ['its Project is suspended', credential, { ...project, state: 'suspended' as const }, account],
  ['its account is suspended', credential, project, { ...account, state: 'suspended' as const }],
])('a secret stands for nothing when %s', (_why, ofCredential, ofProject, ofAccount) => {
  expect(acceptSecret('first', ofCredential, ofProject, ofAccount, serviceAccount)).toBeNull();
});

test('an expired Credential is refused from the instant of its expiry on', () => {
  const expiring = { ...credential, expiresAtMs: nowMs + 1_000 };
  const accepted = acceptSecret('first', expiring, project, account, serviceAccount);

  expect(accepted && isStillValid(accepted, nowMs + 999)).toBe(true);
  expect(accepted && isStillValid(accepted, nowMs + 1_000)).toBe(false);
});

test('without an overlap the replaced secret stops at once', () => {
  const secrets = rotateSecrets(credential, { digest: 'second', nowMs, overlapMs: 0 });
  const rotated = { ...credential, secrets };

  expect(acceptSecret('first', rotated, project, account, serviceAccount)).toBeNull();
  expect(acceptSecret('second', rotated, project, account, serviceAccount)).not.toBeNull();
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
        const accepted = acceptSecret(
          'first',
          { ...credential, expiresAtMs, secrets },
          project,
          account,
          serviceAccount,
        );
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
        const accepted = acceptSecret(digest, rotated, project, account, serviceAccount);
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
