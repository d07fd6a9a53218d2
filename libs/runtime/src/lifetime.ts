import type { Logger } from './logger.ts';
import { withDeadline } from './wait.ts';

/** Collects what was opened, and closes it in reverse order. */
export interface Lifetime {
  /** Aborted when closing begins: jobs check it, waits end early. */
  readonly signal: AbortSignal;
  /**
   * Registers how to close what was just opened; `close` gets a share of the stop deadline. What
   * is opened while everything closes is closed too.
   */
  defer(name: string, close: () => Promise<void> | void): void;
  /** Closes everything, last opened first; one failure does not keep the others open. */
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
        logger.warn({ err: error, closing: next.name }, 'did not close cleanly');
      }
    }
  }

  return {
    signal: controller.signal,
    defer(name, close) {
      closers.push({ name, close });
      // A start that was overtaken by a stop goes on opening: nothing of it may stay behind.
      if (closing !== undefined) closing = closing.then(closeAll);
    },
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}
