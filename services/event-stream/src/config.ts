import { serviceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { deepFreeze, duration, readSettings } from '@inventory/runtime/settings';
import { logConfig, logSettings } from './log/log-config.ts';
import { webhookConfig, webhookSettings } from './webhooks/webhook-config.ts';

const clockSettings = {
  CLOCK_OFFSET_MAX_MS: duration()
    .prefault('5000')
    .describe(
      "Greatest difference between this machine's clock and MongoDB's; beyond it MongoDB's is used",
    ),
} as const;

export const settings = {
  ...serviceSettings,
  ...clockSettings,
  ...logSettings,
  ...webhookSettings,
} as const;

export type EventStreamConfig = ReturnType<typeof loadConfig>;

export function loadConfig(environment: Record<string, string | undefined>) {
  const parsed = readSettings(settings, environment);
  const webhooks = webhookConfig(parsed);
  const clockOffsetMaxMs = parsed.CLOCK_OFFSET_MAX_MS;
  return deepFreeze({ ...serviceConfig(parsed), clockOffsetMaxMs, ...logConfig(parsed), webhooks });
}
