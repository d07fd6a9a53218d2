import type { ServiceName } from '@inventory/contracts/topics';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import { observeProcess } from '@inventory/runtime/process-metrics';
import { runService } from '@inventory/runtime/run-service';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { SettingsError } from '@inventory/runtime/settings';
import { telemetry } from '@inventory/runtime/telemetry-access';
import { trimHeapWhenIdle } from '@inventory/runtime/trim-heap';
import {
  prepareIndexes,
  prepareTopics,
  rewindFlag,
  runRewind,
  runTask,
  type Task,
} from './jobs.ts';
import { restoreTasks } from './restore-tasks.ts';
import type { ServiceContext } from './service-context.ts';

export interface MainOptions<Config extends ServiceConfig> {
  readonly service: ServiceName;
  /** Throws a SettingsError that names every problem. */
  readonly loadConfig: (environment: Record<string, string | undefined>) => Config;
  readonly start: (context: ServiceContext<Config>) => Promise<unknown>;
  readonly tasks?: readonly Task<Config>[];
  readonly process: NodeJS.Process;
}

/**
 * The whole of a service's main: configuration, then the service until a signal stops it. With
 * `--check-config`, `--ensure-topics`, `--ensure-indexes`, `--rewind-consumers-to <time>`,
 * `--drop-database <name>`, `--await-consumers` or the flag of a task it does that and ends.
 */
export async function runMain<Config extends ServiceConfig>(
  options: MainOptions<Config>,
): Promise<void> {
  const { service, process } = options;
  const { argv, env } = process;
  try {
    if (argv.includes('--ensure-topics')) {
      await prepareTopics(env, createLogger({ service, level: 'info' }));
      return;
    }
    await runConfigured(options, options.loadConfig(env));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${service}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function runConfigured<Config extends ServiceConfig>(
  { service, start, tasks = [], process }: MainOptions<Config>,
  config: Config,
): Promise<void> {
  const { argv } = process;
  if (argv.includes('--check-config')) {
    process.stdout.write(`${service}: the configuration is valid\n`);
    return;
  }
  const logger = createLogger({ service, level: config.logLevel });
  const { stopDeadlineMs } = config;
  const surroundings = { config, clock: systemClock, identifiers: systemIdentifiers };
  if (argv.includes('--ensure-indexes')) {
    const areComplete = await prepareIndexes(logger, stopDeadlineMs, (lifetime) =>
      start({ ...surroundings, lifetime, logger, indexesOnly: true }),
    );
    if (!areComplete) process.exitCode = 1;
    return;
  }
  const task = [...restoreTasks(service), ...tasks].find(({ flag }) => argv.includes(flag));
  if (task) {
    const run = (lifetime: Lifetime) => task.run({ ...surroundings, lifetime, logger }, argv);
    await runTask(process, logger, stopDeadlineMs, run);
  }
  // What a service restores first may be a task of the same flag.
  if (argv.includes(rewindFlag) && !process.exitCode) {
    await runRewind({ service, config, time: argv[argv.indexOf(rewindFlag) + 1], logger });
    return;
  }
  if (task) return;
  observeProcess(process);
  await runService({
    logger,
    stopDeadlineMs,
    start: async (lifetime) => {
      lifetime.defer('telemetry', () => telemetry()?.flush());
      await start({ ...surroundings, lifetime, logger });
      trimHeapWhenIdle({ lifetime, logger });
    },
  });
}
