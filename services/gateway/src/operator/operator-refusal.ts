/** Why an operator's change was refused; nothing was changed then. */
export type OperatorRefusalCode =
  | 'account_not_found'
  | 'project_not_found'
  | 'credential_not_found'
  | 'credential_revoked'
  | 'concurrent_change'
  | 'idempotency_conflict'
  | 'insufficient_credits'
  | 'insufficient_units'
  | 'balance_limit_exceeded';

export class OperatorRefusal extends Error {
  override name = 'OperatorRefusal';
  readonly code: OperatorRefusalCode;
  readonly detail: Readonly<Record<string, unknown>> | undefined;

  constructor(code: OperatorRefusalCode, detail?: Readonly<Record<string, unknown>>) {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}
