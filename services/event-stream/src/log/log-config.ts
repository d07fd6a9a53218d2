import { duration, integer, type Parsed, url } from '@inventory/runtime/settings';

const dayMs = 24 * 3_600_000;

export const logSettings = {
  LOG_EPOCH: integer(1, 1_000_000)
    .prefault('1')
    .describe('Raised by one when this database was restored from a backup'),
  LOG_KEEP_MS: duration()
    .prefault(String(7 * dayMs))
    .describe('Age from which events are pruned; the newest event of a Project is always kept'),
  LOG_PRUNE_EVERY_MS: duration()
    .prefault('3600000')
    .describe(
      'Shortest pause between two prunings of a log, and the pause between two rounds of the other clean-up',
    ),
  GATEWAY_URL: url().describe('Private address of the gateway, which owns Projects'),
} as const;

const gatewayTimeoutMs = 3_000;

export function logConfig(parsed: Parsed<typeof logSettings>) {
  return {
    log: {
      logEpoch: parsed.LOG_EPOCH,
      keepMs: parsed.LOG_KEEP_MS,
      pruneEveryMs: parsed.LOG_PRUNE_EVERY_MS,
    },
    gateway: { url: parsed.GATEWAY_URL, timeoutMs: gatewayTimeoutMs },
  };
}
