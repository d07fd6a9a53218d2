import type { Logger } from '@inventory/runtime/logger';

/** A change as a line of the log has it: who made it, what it was, and its outcome. */
interface AuditLine {
  readonly action: string;
  readonly outcome: string;
  readonly [field: string]: unknown;
}

export type WriteAuditLine = (audit: AuditLine, requestId: string) => void;

/**
 * Writes changes to the log, at every level except silent. A restore repeats from it what a backup does not
 * have: revocations, and what else was taken away.
 */
export function createAuditLines(logger: Logger): WriteAuditLine {
  const lines = logger.level === 'silent' ? logger : logger.child({}, { level: 'info' });
  return (audit, requestId) => lines.info({ audit, request_id: requestId }, 'audit');
}
