import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import { deepFreeze, readSettings } from '@inventory/runtime/settings';
import { type GatewayConfig, type LogConfig, logConfig, logSettings } from './log/log-config.ts';
import { type WebhookConfig, webhookConfig, webhookSettings } from './webhooks/webhook-config.ts';

export const settings = { ...serviceSettings, ...logSettings, ...webhookSettings } as const;

export interface EventStreamConfig extends ServiceConfig {
  readonly log: LogConfig;
  readonly gateway: GatewayConfig;
  readonly webhooks: WebhookConfig;
}

export function loadConfig(environment: Record<string, string | undefined>): EventStreamConfig {
  const parsed = readSettings(settings, environment);
  const webhooks = webhookConfig(parsed);
  return deepFreeze({ ...serviceConfig(parsed), ...logConfig(parsed), webhooks });
}
