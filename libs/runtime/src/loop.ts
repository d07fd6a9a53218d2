import { type Backoff, jitteredDelayMs } from './backoff.ts';
import type { Logger } from './logger.ts';
import { measureLoop } from './loop-metrics.ts';

export interface LoopOptions {
  readonly name: string;
  /** Pause after a round that found nothing to do. */
  readonly idleMs: number;
  readonly logger: Logger;
  /** One round; true when there may be more to do at once. */
  readonly round: (signal: AbortSignal) => Promise<boolean>;
}

/** Background work of one process: repeated, woken when something happened, never dying. */
export interface Loop {
  /** Ends the current pause; a round that is running is followed by another. */
  wake(): void;
  /** Lets the running round end; no further one begins. */
  stop(): Promise<void>;
}

const failureBackoff: Backoff = { firstMs: 200, maxMs: 10_000 };

export function startLoop(options: LoopOptions): Loop {
  const stopping = new AbortController();
  const measured = measureLoop(options.name, options.idleMs);
  let woken = false;
  let endPause = (): void => {};

  function pauseFor(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        const more = await options.round(stopping.signal);
        failures = 0;
        measured.succeeded();
        if (!more && !woken && !stopping.signal.aborted) await pauseFor(options.idleMs);
      } catch (error) {
        failures += 1;
        measured.failed();
        options.logger.warn({ err: error, loop: options.name, failures }, 'a round failed');
        if (!stopping.signal.aborted) await pauseFor(jitteredDelayMs(failureBackoff, failures));
      }
    }
  }

  const running = run();
  return {
    wake() {
      woken = true;
      endPause();
    },
    async stop() {
      stopping.abort();
      endPause();
      await running;
      measured.stopped();
    },
  };
}
