import { operatorRole } from '@inventory/contracts/vocabulary';
import { hasRole, parseOperator } from './operators.domain.ts';

const digest = 'a'.repeat(64);

test('an operator is a name, its roles and the digest of its token', () => {
  expect(parseOperator(`alice.b:support+billing:${digest}`)).toEqual({
    name: 'alice.b',
    roles: ['support', 'billing'],
    tokenDigest: digest,
  });
});

test.each([
  ['no role', `alice::${digest}`],
  ['an unknown role', `alice:root:${digest}`],
  ['an unknown role beside a known one', `alice:read+root:${digest}`],
  ['a role twice', `alice:read+read:${digest}`],
  ['a token in place of its digest', 'alice:read:not-a-digest'],
  ['a digest in capitals', `alice:read:${digest.toUpperCase()}`],
  ['the name of OPERATOR_TOKEN', `default:admin:${digest}`],
  ['a name with a blank', `alice b:read:${digest}`],
  ['a name that is too long', `${'a'.repeat(41)}:read:${digest}`],
  ['nothing', ''],
])('%s is no operator', (_what, text) => {
  expect(parseOperator(text)).toBeNull();
});

test.each([
  [['read'], ['read']],
  [['support'], ['read', 'support']],
  [['billing'], ['read', 'billing']],
  [
    ['support', 'billing'],
    ['read', 'support', 'billing'],
  ],
  [['admin'], ['read', 'support', 'billing', 'admin']],
] as const)('the roles %j include %j and no other', (roles, included) => {
  const operator = { name: 'alice', roles, tokenDigest: digest };

  expect(operatorRole.options.filter((role) => hasRole(operator, role))).toEqual(included);
});
