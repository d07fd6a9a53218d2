import { type OperatorRole, operatorRole } from '@inventory/contracts/vocabulary';

/** A person or a program that calls the operator API. */
export interface Operator {
  readonly name: string;
  readonly roles: readonly OperatorRole[];
  /** SHA-256 of the token in hex. */
  readonly tokenDigest: string;
}

/** The operator whose token is OPERATOR_TOKEN. */
export const defaultOperatorName = 'default';

const form = /^([a-z0-9][a-z0-9._-]{0,39}):([a-z+]{1,60}):([0-9a-f]{64})$/;

/** Reads `name:role+role:digest`; null where it is not of this form, or has the default name. */
export function parseOperator(text: string): Operator | null {
  const [, name = '', words = '', tokenDigest = ''] = form.exec(text) ?? [];
  const roles = operatorRole.options.filter((role) => words.split('+').includes(role));
  if (name === '' || name === defaultOperatorName) return null;
  return roles.join('+').length === words.length ? { name, roles, tokenDigest } : null;
}

export function hasRole({ roles }: Operator, needed: OperatorRole): boolean {
  return needed === 'read' || roles.includes(needed) || roles.includes('admin');
}
