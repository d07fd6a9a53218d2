/** A server process that tests may take down and bring back on the same port and data. */
export interface Controllable {
  /** Null while it is down. */
  readonly pid: number | null;
  /** Sends the signal; resolves when the process is gone, at once for SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Asks it to stop, and ends it when it does not within its deadline. */
  stop(): Promise<void>;
  /** Resolves when it answers again. Rejects when it is up. */
  start(): Promise<void>;
}
