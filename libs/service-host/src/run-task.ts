import type { Lifetime } from '@inventory/runtime/lifetime';
import { openLifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from './service-context.ts';

/** Work that a process of the service does and then ends, in place of serving. */
export interface Task<Config extends ServiceConfig> {
  /** The command line argument that selects it. */
  readonly flag: `--${string}`;
  /** False ends the process with exit code 1. */
  readonly run: (context: ServiceContext<Config>, argv: readonly string[]) => Promise<boolean>;
}

export interface RunTaskOptions {
  readonly process: NodeJS.Process;
  readonly logger: Logger;
  readonly stopDeadlineMs: number;
  readonly run: (lifetime: Lifetime) => Promise<boolean>;
}

/** Runs a task to its end; a signal to stop closes its lifetime. */
export async function runTask({
  process,
  logger,
  stopDeadlineMs,
  run,
}: RunTaskOptions): Promise<void> {
  const lifetime = openLifetime(logger, stopDeadlineMs);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void lifetime.close());
  }
  try {
    if (!(await run(lifetime))) process.exitCode = 1;
  } catch (error) {
    logger.fatal({ err: error }, 'task failed');
    process.exitCode = 1;
  } finally {
    await lifetime.close();
  }
}
