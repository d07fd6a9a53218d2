import { LeaseLost } from '@inventory/runtime/hold-lease';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ProcessContext } from '@inventory/runtime/process-context';
import { pause } from '@inventory/runtime/wait';
import { createWorker, type Worker, type WorkKind } from './worker.ts';

export interface StartedWorkKind<Item> extends WorkKind<Item> {
  /** Pause between two looks at what is due, without a wake and while there is work at times. */
  readonly lookEveryMs: number;
}

export interface StartedWorker<Item> {
  readonly reserve: Worker<Item>['reserve'];
  /** Looks at once. */
  wake(): void;
  /** Looks then. */
  wakeIn(pauseMs: number): void;
}

/** Looks of so long a time that found nothing are followed by fewer. */
export const idleAfterMs = 60_000;
/**
 * The longest pause then. What was inserted before is worked on when it is due; what another replica
 * inserts and leaves behind is found after this at the latest.
 */
export const idlePauseMs = 10_000;

/** Works on what is due until the lifetime closes, then ends what it began. */
export function startWorker<Item>(
  kind: StartedWorkKind<Item>,
  { lifetime, clock, identifiers, logger }: ProcessContext,
): StartedWorker<Item> {
  const { name, lookEveryMs: intervalMs } = kind;
  const owner = identifiers.uuidV7();
  const stopping = new AbortController();
  lifetime.signal.addEventListener('abort', () => stopping.abort(new LeaseLost()), { once: true });
  const wake = () => {
    looks.restart();
    job.wake();
  };
  const wakeIn = (pauseMs: number) => void pause(pauseMs, stopping.signal).then(wake);
  const worker = createWorker(kind, {
    clock,
    owner,
    logger,
    wake,
    wakeIn: (pauseMs) => {
      if (pauseMs < intervalMs) wakeIn(pauseMs);
    },
    stopping: stopping.signal,
  });
  const looks = createLooks(worker, intervalMs);
  lifetime.defer(`${name} in progress`, async () => {
    await worker.idle();
    worker.stop();
  });
  const { runOnce, pauseMs } = looks;
  const job = startPeriodicJob({ name, intervalMs: pauseMs, lifetime, logger, runOnce });
  return { wake, wakeIn, reserve: worker.reserve };
}

/** Looks at what is due; while nothing is, for long, only at what will be due first. */
function createLooks<Item>(worker: Worker<Item>, lookEveryMs: number) {
  let emptyLooks = 0;
  let pauseMs = lookEveryMs;

  function restart(): void {
    emptyLooks = 0;
    pauseMs = lookEveryMs;
  }

  return {
    restart,
    pauseMs: () => pauseMs,
    async runOnce(): Promise<boolean> {
      if (emptyLooks * lookEveryMs >= idleAfterMs) {
        pauseMs = await worker.dueInMs(Math.max(lookEveryMs, idlePauseMs));
        if (pauseMs > 0) return false;
        restart();
      }
      const hasMore = await worker.runOnce();
      emptyLooks = worker.isBusy ? 0 : emptyLooks + 1;
      return hasMore;
    },
  };
}
