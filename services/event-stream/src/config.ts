import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import { deepFreeze, duration, integer, readSettings } from '@inventory/runtime/settings';

const dayMs = 24 * 3_600_000;

export const settings = {
  ...serviceSettings,
  LOG_EPOCH: integer(1, 1_000_000)
    .prefault('1')
    .describe('Raised by one when this database was restored from a backup'),
  LOG_KEEP_MS: duration()
    .prefault(String(7 * dayMs))
    .describe('Age from which events leave the logs; the newest of a Project always stays'),
  LOG_PRUNE_EVERY_MS: duration()
    .prefault('3600000')
    .describe('Pause between two looks for old events'),
} as const;

export interface EventStreamConfig extends ServiceConfig {
  readonly log: {
    readonly logEpoch: number;
    readonly keepMs: number;
    readonly pruneEveryMs: number;
  };
}

export function loadConfig(environment: Record<string, string | undefined>): EventStreamConfig {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    log: {
      logEpoch: parsed.LOG_EPOCH,
      keepMs: parsed.LOG_KEEP_MS,
      pruneEveryMs: parsed.LOG_PRUNE_EVERY_MS,
    },
  });
}
