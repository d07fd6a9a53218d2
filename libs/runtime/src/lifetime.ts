import type { Logger } from './logger.ts';
import { withDeadline } from './wait.ts';

/** Collects opened resources and closes them in reverse order. */
export interface Lifetime {
  /** Aborted when closing begins: jobs check it, waits end early. */
  readonly signal: AbortSignal;
  /**
   * Registers how to close a resource that was just opened; `close` gets a share of the stop
   * deadline. A resource that is opened during the close is closed too.
   */
  defer(name: string, close: () => Promise<void> | void): void;
  /** Closes everything in reverse order of opening; a failure does not stop the others. */
  close(): Promise<void>;
}

export function openLifetime(logger: Logger, closeDeadlineMs: number): Lifetime {
  const closers: { name: string; close: () => Promise<void> | void }[] = [];
  const controller = new AbortController();
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    controller.abort();
    for (let next = closers.pop(); next !== undefined; next = closers.pop()) {
      try {
        await withDeadline(Promise.resolve(next.close()), closeDeadlineMs, `closing ${next.name}`);
      } catch (error) {
        logger.warn({ err: error, closing: next.name }, 'close failed');
      }
    }
  }

  return {
    signal: controller.signal,
    defer(name, close) {
      closers.push({ name, close });
      // A start that a stop overtakes continues to open resources: none may stay open.
      if (closing !== undefined) closing = closing.then(closeAll);
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}
