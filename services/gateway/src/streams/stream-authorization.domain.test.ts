import { foundCredential } from '../../test/support/found-credential.ts';
import { isNetworkAllowed, streamRefusal } from './stream-authorization.domain.ts';

const nowMs = Date.UTC(2026, 10, 21);

/** May read events, but for these changes. */
const stored = ({ credential, ...owners }: Parameters<typeof foundCredential>[0] = {}) =>
  foundCredential({
    credential: { scopes: ['customer.events.read.v1'], ...credential },
    ...owners,
  });

const secret = (validUntilMs: number | null, digest = 'digest') => ({
  secrets: [{ digest, issuedAtMs: 0, validUntilMs }],
});

test.each([
  ['nothing, while all is well', stored({}), null],
  ['an unknown secret', null, 'credential_revoked'],
  ['a revoked Credential', stored({ credential: { state: 'revoked' } }), 'credential_revoked'],
  ['a replaced secret', stored({ credential: secret(null, 'new') }), 'credential_revoked'],
  ['a secret past its overlap', stored({ credential: secret(nowMs) }), 'credential_revoked'],
  ['a secret within its overlap', stored({ credential: secret(nowMs + 1) }), null],
  ['an expired Credential', stored({ credential: { expiresAtMs: nowMs } }), 'credential_expired'],
  ['a suspended account', stored({ account: { state: 'suspended' } }), 'owner_suspended'],
  ['a suspended Project', stored({ project: { state: 'suspended' } }), 'owner_suspended'],
  ['no permission', stored({ credential: { scopes: [] } }), 'permission_removed'],
  ['the wildcard alone', stored({ credential: { scopes: ['*'] } }), 'permission_removed'],
  ['events switched off', stored({ account: { eventsEnabled: false } }), 'events_not_enabled'],
])('%s: %#', (_name, found, expected) => {
  expect(streamRefusal('digest', found, nowMs)).toBe(expected);
});

test('account, Project, Service account and Credential each narrow the networks a stream is read from (Authentication) [authentication, events-revoked]', () => {
  const found = stored({
    account: { networkPolicy: ['10.0.0.0/8'] },
    credential: { networkPolicy: ['10.1.0.0/16'] },
  });

  expect(isNetworkAllowed(found, '10.1.2.3')).toBe(true);
  expect(isNetworkAllowed(found, '10.2.2.3')).toBe(false);
  const narrowed = stored({ serviceAccount: { networkPolicy: ['10.1.0.0/16'] } });
  expect(isNetworkAllowed(narrowed, '10.2.2.3')).toBe(false);
  expect(isNetworkAllowed(stored({}), '192.0.2.1')).toBe(true);
});
