import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import { deepFreeze, readSettings } from '@inventory/runtime/settings';

export const settings = { ...serviceSettings } as const;

export type EventStreamConfig = ServiceConfig;

export function loadConfig(environment: Record<string, string | undefined>): EventStreamConfig {
  return deepFreeze(serviceConfig(readSettings(settings, environment)));
}
