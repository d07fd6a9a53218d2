import { serviceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { deepFreeze, readSettings } from '@inventory/runtime/settings';
import { logConfig, logSettings } from './log/log-config.ts';
import { webhookConfig, webhookSettings } from './webhooks/webhook-config.ts';

export const settings = { ...serviceSettings, ...logSettings, ...webhookSettings } as const;

export type EventStreamConfig = ReturnType<typeof loadConfig>;

export function loadConfig(environment: Record<string, string | undefined>) {
  const parsed = readSettings(settings, environment);
  const webhooks = webhookConfig(parsed);
  return deepFreeze({ ...serviceConfig(parsed), ...logConfig(parsed), webhooks });
}
