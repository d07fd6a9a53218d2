import type { StreamTarget } from './yardsticks/stream-readers.ts';

/** A server of streams, ours or a yardstick. */
export interface Side {
  /** Events for some targets, as many as are named. */
  announce(targets: readonly StreamTarget[]): Promise<void> | void;
  readonly port: number;
  readonly pid: number;
  /** It collects its garbage on SIGUSR2. */
  readonly collectsGarbage: boolean;
  /** Processes whose part of the machine is reported as well, such as the broker. */
  readonly others: Readonly<Record<string, number>>;
}
