import type { Clock } from '@inventory/runtime/clock';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { pause } from '@inventory/runtime/wait';
import { createWorker, type Worker, type WorkKind } from './worker.ts';

export interface StartWorkerDeps {
  readonly lifetime: Pick<Lifetime, 'defer' | 'signal'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly identifiers: Pick<Identifiers, 'uuidV7'>;
  readonly logger: Logger;
}

export interface StartedWorkKind<Item> extends WorkKind<Item> {
  /** Pause between two looks at what is due, without a wake. */
  readonly lookEveryMs: number;
}

export interface StartedWorker<Item> extends Pick<Worker<Item>, 'reserve'> {
  /** Looks at once. */
  wake(): void;
}

/** Works on what is due until the lifetime closes, then ends what it began. */
export function startWorker<Item>(
  kind: StartedWorkKind<Item>,
  deps: StartWorkerDeps,
): StartedWorker<Item> {
  const { lifetime, clock, identifiers, logger } = deps;
  const { name, lookEveryMs: intervalMs } = kind;
  const owner = identifiers.uuidV7();
  const stopping = new AbortController();
  lifetime.signal.addEventListener('abort', () => stopping.abort(new LeaseLost()), { once: true });
  const wake = () => job.wake();
  const wakeIn = (pauseMs: number) => {
    if (pauseMs < intervalMs) void pause(pauseMs, stopping.signal).then(wake);
  };
  const worker = createWorker(kind, {
    ...{ clock, owner, logger, wake, wakeIn },
    stopping: stopping.signal,
  });
  lifetime.defer(`${name} in progress`, async () => {
    await worker.idle();
    worker.stop();
  });
  const job = startPeriodicJob({ name, intervalMs, lifetime, logger, runOnce: worker.runOnce });
  return { wake, reserve: worker.reserve };
}
