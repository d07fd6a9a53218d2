/**
 * A command that must be sent until its owner has answered, whatever happens to this process. Any
 * replica may take it over; the growing epoch says who took it last.
 */
export interface PendingCommand {
  readonly id: string;
  readonly dueAtMs: number;
  /** How often it was taken; 0 before the first time. */
  readonly epoch: number;
}

const firstRetryMs = 10_000;
const laterRetryMs = 20_000;

/** When a command taken now is due again unless its owner answers. */
export function dueAgainAtMs(command: Pick<PendingCommand, 'epoch'>, nowMs: number): number {
  return nowMs + (command.epoch === 0 ? firstRetryMs : laterRetryMs);
}
