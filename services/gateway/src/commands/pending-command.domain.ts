/**
 * A command that is re-sent until its outcome is received, also after a crash of this process. Any
 * replica may claim it; the increasing epoch names the last claim.
 */
export interface PendingCommand {
  readonly id: string;
  readonly dueAtMs: number;
  /** Number of claims; 0 before the first. */
  readonly epoch: number;
}

const firstRetryMs = 10_000;
const laterRetryMs = 20_000;

/** When a command claimed now is due again without an outcome. */
export function dueAgainAtMs(command: Pick<PendingCommand, 'epoch'>, nowMs: number): number {
  return nowMs + (command.epoch === 0 ? firstRetryMs : laterRetryMs);
}
