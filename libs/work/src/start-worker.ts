import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { createWorker, type WorkKind } from './worker.ts';

export interface StartWorkerDeps {
  readonly lifetime: Pick<Lifetime, 'defer'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly identifiers: Pick<Identifiers, 'uuidV7'>;
  readonly logger: Logger;
}

export interface StartedWorkKind<Item> extends WorkKind<Item> {
  /** Pause between two looks at what is due, without a wake. */
  readonly lookEveryMs: number;
}

/** Works on what is due until the lifetime closes, then ends what it began. The result looks at once. */
export function startWorker<Item>(kind: StartedWorkKind<Item>, deps: StartWorkerDeps): () => void {
  const { lifetime, clock, identifiers, logger } = deps;
  const { name, lookEveryMs: intervalMs } = kind;
  const owner = identifiers.uuidV7();
  const worker = createWorker(kind, { clock, owner, logger, wake: () => job.wake() });
  lifetime.defer(`${name} in progress`, async () => {
    await worker.idle();
    worker.stop();
  });
  const job = startPeriodicJob({ name, intervalMs, lifetime, logger, runOnce: worker.runOnce });
  return job.wake;
}
