import type { AuditId } from '@inventory/contracts/ids';

/** A call of the operator API. */
export interface AuditedCall {
  readonly requestId: string;
  /** Null where the token is not of an operator. */
  readonly operator: string | null;
  /** Address that the call came from. */
  readonly peer: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** One entry of the audit. A change has two: before its effect, and with its outcome. */
export interface AuditEntry extends AuditedCall {
  readonly id: AuditId;
  readonly atMs: number;
  readonly kind: 'started' | 'ended' | 'refused';
  /** Name of the change; null of a refused call that is none. */
  readonly action: string | null;
  /** Of a start the input, without secrets: no operation takes one. Of an end the ids of what was made. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `done`, or the code of the refusal; null of a start. */
  readonly outcome: string | null;
}
