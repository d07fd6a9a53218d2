import type { ServiceName } from '@inventory/contracts/topics';
import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
import { runService } from '@inventory/runtime/run-service';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { SettingsError } from '@inventory/runtime/settings';
import { telemetry } from '@inventory/runtime/telemetry-access';
import type { ServiceContext } from './service-context.ts';

export interface MainOptions<Config extends ServiceConfig> {
  readonly service: ServiceName;
  /** Throws a SettingsError that names every problem. */
  readonly loadConfig: (environment: Record<string, string | undefined>) => Config;
  readonly start: (context: ServiceContext<Config>) => Promise<unknown>;
  readonly process: NodeJS.Process;
}

/** The whole of a service's main: configuration, then the service until it is told to stop. */
export async function runMain<Config extends ServiceConfig>(
  options: MainOptions<Config>,
): Promise<void> {
  const { service, process } = options;
  let config: Config;
  try {
    config = options.loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${service}: ${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  if (process.argv.includes('--check-config')) {
    process.stdout.write(`${service}: the configuration is valid\n`);
    return;
  }
  const logger = createLogger({ service, level: config.logLevel });
  await runService({
    logger,
    stopDeadlineMs: config.stopDeadlineMs,
    start: async (lifetime) => {
      lifetime.defer('telemetry', () => telemetry()?.flush());
      const context = {
        config,
        lifetime,
        logger,
        clock: systemClock,
        identifiers: systemIdentifiers,
      };
      await options.start(context);
    },
  });
}
