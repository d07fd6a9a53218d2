import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  credentialIdOf,
  isWellFormedSecret,
  publicIdOf,
  secretEntropyBytes,
  secretPattern,
  writeSecret,
} from './credential-secret.ts';
import type { CredentialId } from './ids.ts';

const credentialIds = fc.uuid().map((uuid): CredentialId => `cred_${uuid}`);
const entropies = fc.uint8Array({ minLength: secretEntropyBytes, maxLength: secretEntropyBytes });
const secrets = fc.tuple(credentialIds, entropies).map(([id, bytes]) => writeSecret(id, bytes));

test('a secret has the published form, so that secret scanners recognise it [credential-secret]', () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      expect(secret).toMatch(/^inv_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
      expect(isWellFormedSecret(secret)).toBe(true);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('a known secret is written the same way for ever: issued keys stay readable [credential-secret]', () => {
  const id = 'cred_01890a5d-ac96-774b-bcce-b302099a8057';
  const entropy = Uint8Array.from({ length: secretEntropyBytes }, (_, index) => index * 8);

  const secret = writeSecret(id, entropy);

  expect(secret).toMatchInlineSnapshot(
    `"inv_02tcRIyrxLXTR81B3dqdOx_00Shy7mTZ1Bu5bnRoNH1sQs0jRcI5ClWdZ1W9xSLm9I_1YG2eH"`,
  );
});

test('two entropies never give the same secret: every random bit counts', () => {
  fc.assert(
    fc.property(credentialIds, entropies, entropies, (id, left, right) => {
      const same = Buffer.from(left).equals(Buffer.from(right));
      expect(writeSecret(id, left) === writeSecret(id, right)).toBe(same);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('the public id names the Credential and changes with it, not with the secret', () => {
  fc.assert(
    fc.property(credentialIds, entropies, (id, entropy) => {
      expect(writeSecret(id, entropy).split('_')[1]).toBe(publicIdOf(id));
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a key with one character mistyped is refused without a store read', () => {
  const mistyped = fc
    .tuple(secrets, fc.nat(), fc.constantFrom(...'0aZ_-. é'))
    .map(([secret, at, character]) => {
      const index = at % secret.length;
      return { secret, changed: secret.slice(0, index) + character + secret.slice(index + 1) };
    })
    .filter(({ secret, changed }) => changed !== secret);

  fc.assert(
    fc.property(mistyped, ({ changed }) => {
      expect(isWellFormedSecret(changed)).toBe(false);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('a truncated, padded or swapped key is refused without a store read', () => {
  fc.assert(
    fc.property(secrets, fc.nat({ max: 76 }), fc.string({ minLength: 1 }), (secret, cut, more) => {
      expect(isWellFormedSecret(secret.slice(0, cut))).toBe(false);
      expect(isWellFormedSecret(secret + more)).toBe(false);
      expect(isWellFormedSecret(more + secret)).toBe(false);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('whatever a client puts into the header has a result, never an exception', () => {
  fc.assert(
    fc.property(fc.uint16Array({ maxLength: 200 }), (units) => {
      expect(isWellFormedSecret(String.fromCharCode(...units))).toBe(false);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('a public id leads back to its Credential, and any other text to none', () => {
  fc.assert(
    fc.property(credentialIds, (id) => {
      expect(credentialIdOf(publicIdOf(id))).toBe(id);
    }),
  );
  for (const text of ['', 'x', 'z'.repeat(22), '-'.repeat(22)])
    expect(credentialIdOf(text)).toBeNull();
});

test('the pattern of secret scanners finds a secret in any text, and nothing that is longer', () => {
  fc.assert(
    fc.property(secrets, (secret) => {
      const text = `X-API-Key: ${secret}\n"${secret}", a${secret} ${secret}b`;
      expect(text.match(new RegExp(secretPattern, 'g'))).toEqual([secret, secret]);
    }),
  );
});
