import { type Lifetime, openLifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';
import { withDeadline } from './wait.ts';

export interface RunServiceOptions {
  readonly logger: Logger;
  readonly stopDeadlineMs: number;
  /** Opens resources in order and defers their close. */
  readonly start: (lifetime: Lifetime) => Promise<void>;
}

/**
 * Runs a service until SIGTERM or SIGINT, then closes its resources in reverse order. The process
 * ends with an empty event loop, at the latest after the stop deadline; a second signal ends it at
 * once.
 */
export async function runService(options: RunServiceOptions): Promise<void> {
  const { logger, stopDeadlineMs } = options;
  const lifetime = openLifetime(logger, stopDeadlineMs / 3);
  let stopping = false;

  async function stop(reason: string, exitCode: number): Promise<void> {
    if (stopping) return process.exit(exitCode || 1);
    stopping = true;
    process.exitCode = exitCode;
    logger.info({ reason }, 'stopping');
    try {
      await withDeadline(lifetime.close(), stopDeadlineMs, 'stopping');
      logger.info('stopped');
    } catch (error) {
      logger.error({ err: error }, 'stop deadline exceeded');
    }
    // A client library may keep a socket or a retry alive: the event loop gets a second to drain.
    setTimeout(() => process.exit(exitCode), 1_000).unref();
  }

  // Node and libraries write warnings there; what a full disk does not take is no reason to end.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, event);
      void stop(event, 1);
    });
  }
  try {
    await options.start(lifetime);
    logger.info('ready');
  } catch (error) {
    logger.fatal({ err: error }, 'start failed');
    await stop('start failed', 1);
  }
}
