import { type Backoff, jitteredDelayMs } from './backoff.ts';
import { measureJob } from './job-metrics.ts';
import type { Lifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';

/** Wakes the jobs that are started with it: it is made before what they and their wakers need. */
export interface WakeSignal {
  wake(): void;
  /** Called by {@link startPeriodicJob}. */
  wakes(job: PeriodicJob): void;
}

export function createWakeSignal(): WakeSignal {
  const jobs: PeriodicJob[] = [];
  return {
    wake() {
      for (const job of jobs) job.wake();
    },
    wakes: (job) => void jobs.push(job),
  };
}

/** Part of a core that runs may take. */
export interface CoreShare {
  readonly max: number;
  /** CPU time that the runs have used so far. */
  readonly cpuMs: () => number;
}

export interface PeriodicJobOptions {
  /** Letters and spaces: it is a label of the metrics. Jobs of one name share their series. */
  readonly name: string;
  /** Pause between a run that left no work and the next one; a function is called after each run. */
  readonly intervalMs: number | (() => number);
  /** A pause follows every run, also one that left work or was woken: what comes meanwhile shares the next one. */
  readonly coreShare?: CoreShare;
  /** Pause before the first run; none when absent. */
  readonly firstDelayMs?: number;
  readonly wokenBy?: WakeSignal;
  /** Stops the job when it closes. A job that ends earlier has none: its owner calls `stop`. */
  readonly lifetime?: Lifetime;
  readonly logger: Logger;
  /** Resolves to true when work may be left: the next run then starts at once. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most jobs have no result.
  readonly runOnce: (stopping: AbortSignal) => Promise<boolean | void>;
}

export interface PeriodicJob {
  /** Starts the next run now; a run in progress is followed by another. */
  wake(): void;
  /** Resolves when the run in progress has ended; no further one starts. */
  stop(): Promise<void>;
}

/** No run is followed by a pause for it. */
const wholeCore: CoreShare = { max: 1, cpuMs: () => 0 };

const failureBackoff: Backoff = { firstMs: 200, maxMs: 10_000 };

/**
 * Repeats `runOnce`, one run at a time, until the lifetime closes. A failed run is logged, counted
 * and retried with backoff; it never ends the job.
 */
export function startPeriodicJob(options: PeriodicJobOptions): PeriodicJob {
  const { name, intervalMs, firstDelayMs = 0, lifetime, logger } = options;
  const { max, cpuMs } = options.coreShare ?? wholeCore;
  const stopping = new AbortController();
  const pauseMs = () => (typeof intervalMs === 'number' ? intervalMs : intervalMs());
  const measured = measureJob(name, pauseMs());
  let woken = false;
  let endPause = (): void => {};
  let isWakeable = false;

  async function pauseFor(delayMs: number): Promise<void> {
    if (stopping.signal.aborted || delayMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A pause that a wake ends. */
  async function wokenOr(delayMs: number): Promise<void> {
    isWakeable = true;
    await pauseFor(delayMs);
    isWakeable = false;
  }

  async function repeat(): Promise<void> {
    let failures = 0;
    await wokenOr(firstDelayMs);
    while (!stopping.signal.aborted) {
      woken = false;
      const startCpuMs = cpuMs();
      try {
        const workLeft = await options.runOnce(stopping.signal);
        failures = 0;
        const nextMs = pauseMs();
        measured.succeeded(nextMs);
        const cooldownMs = Math.min(nextMs, (cpuMs() - startCpuMs) * (1 / max - 1));
        await pauseFor(cooldownMs);
        if (workLeft !== true && !woken) await wokenOr(nextMs - cooldownMs);
      } catch (error) {
        failures += 1;
        measured.failed();
        logger.warn({ err: error, jobName: name, failures }, 'job failed');
        await wokenOr(jitteredDelayMs(failureBackoff, failures));
      }
    }
  }

  const repeating = repeat();
  const job: PeriodicJob = {
    wake() {
      woken = true;
      if (isWakeable) endPause();
    },
    async stop() {
      stopping.abort();
      endPause();
      await repeating;
      measured.stopped();
    },
  };
  lifetime?.defer(name, () => job.stop());
  options.wokenBy?.wakes(job);
  return job;
}
