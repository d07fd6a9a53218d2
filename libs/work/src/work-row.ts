import type { Backoff } from '@inventory/runtime/backoff';

/** The name of a setting. */
type Setting = `${Uppercase<string>}_${Uppercase<string>}`;

/**
 * A row of a service's table of pending work, `src/work.ts`. Its constants are those that the
 * service runs with; its words are the "After a crash" column of the architecture.
 */
export interface WorkRow {
  /** Label of its metrics, and its name in the log. */
  readonly name: string;
  /** The collection whose documents it is pending in, or whose documents are its leases. */
  readonly collection: string;
  /** What is pending, and where it is done. */
  readonly what: string;
  /** What is done at a time, by each replica where it is a number. */
  readonly slots: number | string;
  /** From the claim until another replica takes over; absent where the pause is. */
  readonly leaseMs?: number | Setting;
  /** Pause before the next try. */
  readonly again?: Backoff | Setting;
  /** Pause between two polls of what is due, without a wake; absent where another job polls. */
  readonly pollEveryMs?: number;
  /** In the words of the architecture. */
  readonly afterCrash: string;
  /** When it ends without having been done. */
  readonly givesUp: string;
}
