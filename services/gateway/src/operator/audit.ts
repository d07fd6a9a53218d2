import type { Logger } from '@inventory/runtime/logger';

/** One change that an operator made or tried. */
interface AuditedChange {
  /** Of the call, as in its X-Request-ID. */
  readonly requestId: unknown;
  readonly action: string;
  /** What was named in the path. */
  readonly target: unknown;
  /** The parsed body: no operator ever sends a secret. */
  readonly change: unknown;
  /** How it ended, with the ids of what was made. */
  readonly end: object;
}

/** Writes one change of the present request to the log. */
export type Audit = (change: Omit<AuditedChange, 'requestId'>) => void;

/** Who changed what must be known at every verbosity; only a silenced process says nothing. */
export function createAudit(logger: Logger): (change: AuditedChange) => void {
  const lines = logger.level === 'silent' ? logger : logger.child({}, { level: 'info' });
  return ({ requestId, action, target, change, end }) => {
    const audit = { action, ...(target as object), ...(change as object), ...end };
    lines.info({ audit, request_id: requestId }, 'audit');
  };
}

const names = ['account_id', 'project_id', 'credential_id', 'seq'];

/** The ids in an answer, and nothing else of it: an answer may hold a secret. */
export function namedIn(answer: unknown): object {
  const fields = Object.entries((answer ?? {}) as object);
  return Object.fromEntries(fields.filter(([name]) => names.includes(name)));
}
