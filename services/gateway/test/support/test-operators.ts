import type { OperatorRole } from '@inventory/contracts/vocabulary';
import { secretDigest } from '@inventory/runtime/secret-digest';
import type { Operator } from '../../src/operator/operators.domain.ts';

export function operatorWith(name: string, token: string, ...roles: OperatorRole[]): Operator {
  return { name, roles, tokenDigest: secretDigest(token) };
}

export const testOperatorToken = 'token-of-an-operator-for-tests';
/** Of every gateway under test. */
export const testOperator = operatorWith('tester', testOperatorToken, 'admin');
