import type { Logger } from '@inventory/runtime/logger';

/** One change that an operator made or attempted. */
interface AuditedChange {
  /** Request id, as in X-Request-ID. */
  readonly requestId: unknown;
  readonly action: string;
  /** The path parameters. */
  readonly target: unknown;
  /** The parsed body: no operation takes a secret. */
  readonly change: unknown;
  /** The result, with the ids of what was created. */
  readonly end: object;
}

/** Writes one change of the request to the log. */
export type Audit = (change: Omit<AuditedChange, 'requestId'>) => void;

/** Audit entries are written at every log level except silent. */
export function createAudit(logger: Logger): (change: AuditedChange) => void {
  const lines = logger.level === 'silent' ? logger : logger.child({}, { level: 'info' });
  return ({ requestId, action, target, change, end }) => {
    const audit = { action, ...(target as object), ...(change as object), ...end };
    lines.info({ audit, request_id: requestId }, 'audit');
  };
}

const names = ['account_id', 'project_id', 'service_account_id', 'credential_id', 'seq'];

/** The ids in a response and nothing else of it: a response may contain a secret. */
export function namedIn(answer: unknown): object {
  const fields = Object.entries((answer ?? {}) as object);
  return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
}
