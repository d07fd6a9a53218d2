import { LeaseLost } from '@inventory/runtime/hold-lease';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import type { ProcessContext } from '@inventory/runtime/process-context';
import { pause } from '@inventory/runtime/wait';
import { createWorker, type Worker, type WorkKind } from './worker.ts';

export interface StartedWorkKind<Item> extends WorkKind<Item> {
  /** Pause between two polls of what is due, without a wake and while there is work at times. */
  readonly pollEveryMs: number;
}

export interface StartedWorker<Item> {
  readonly reserve: Worker<Item>['reserve'];
  /** Polls at once. */
  wake(): void;
  /** Polls then. */
  wakeIn(pauseMs: number): void;
}

/** Polls of so long a time that found nothing are followed by fewer. */
export const idleAfterMs = 60_000;
/**
 * The longest pause then. What was inserted before is worked on when it is due; what another replica
 * inserts and does not complete is found after this at the latest.
 */
export const idlePauseMs = 10_000;

/** Works on what is due until the lifetime closes, then ends what it began. */
export function startWorker<Item>(
  kind: StartedWorkKind<Item>,
  { lifetime, clock, identifiers, logger }: ProcessContext,
): StartedWorker<Item> {
  const { name, pollEveryMs: intervalMs } = kind;
  const owner = identifiers.uuidV7();
  const stopping = new AbortController();
  lifetime.signal.addEventListener('abort', () => stopping.abort(new LeaseLost()), { once: true });
  const wake = () => {
    polls.restart();
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
  const polls = createPolls(worker, intervalMs);
  lifetime.defer(`${name} in progress`, async () => {
    await worker.idle();
    worker.stop();
  });
  const { runOnce, pauseMs } = polls;
  const job = startPeriodicJob({ name, intervalMs: pauseMs, lifetime, logger, runOnce });
  return { wake, wakeIn, reserve: worker.reserve };
}

/** Polls what is due; while nothing is, for long, only what will be due first. */
function createPolls<Item>(worker: Worker<Item>, pollEveryMs: number) {
  let emptyPolls = 0;
  let pauseMs = pollEveryMs;

  function restart(): void {
    emptyPolls = 0;
    pauseMs = pollEveryMs;
  }

  return {
    restart,
    pauseMs: () => pauseMs,
    async runOnce(): Promise<boolean> {
      if (emptyPolls * pollEveryMs >= idleAfterMs) {
        pauseMs = await worker.dueInMs(Math.max(pollEveryMs, idlePauseMs));
        if (pauseMs > 0) return false;
        restart();
      }
      const hasMore = await worker.runOnce();
      emptyPolls = worker.isBusy ? 0 : emptyPolls + 1;
      return hasMore;
    },
  };
}
