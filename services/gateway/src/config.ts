import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import { deepFreeze, duration, readSettings, url } from '@inventory/runtime/settings';
import { type CaptureConfig, captureConfig, captureSettings } from './captures/capture-config.ts';
import { type Deadlines, standardDeadlines } from './deadlines.ts';
import { type HttpConfig, httpConfig, httpSettings } from './http/http-config.ts';
import {
  type OperatorConfig,
  operatorConfig,
  operatorSettings,
} from './operator/operator-config.ts';
import { type PageConfig, pageConfig, pageSettings } from './pages/page-config.ts';
import { type RefreshConfig, refreshConfig, refreshSettings } from './refreshes/refresh-config.ts';
import { type StreamConfig, streamConfig, streamSettings } from './streams/stream-config.ts';
import { type WatchConfig, watchConfig, watchSettings } from './watches/watch-config.ts';

export const settings = {
  ...serviceSettings,
  REFRESH_COLLECTOR_URL: url().describe('Internal address of the refresh-collector'),
  BILLING_LEDGER_URL: url().describe('Internal address of the billing-ledger'),
  REVISION_STORE_URL: url().describe('Internal address of the revision-store'),
  EVENT_STREAM_URL: url().describe('Internal address of the event-stream'),
  COLLECTOR_TIMEOUT_MS: duration()
    .prefault('3000')
    .describe('Longest wait for a read of the refresh-collector or the billing-ledger'),
  REVISION_STORE_TIMEOUT_MS: duration()
    .prefault('5000')
    .describe('Longest wait for a page of the revision-store'),
  ...httpSettings,
  ...operatorSettings,
  ...refreshSettings,
  ...pageSettings,
  ...captureSettings,
  ...streamSettings,
  ...watchSettings,
} as const;

export interface GatewayConfig
  extends ServiceConfig,
    HttpConfig,
    OperatorConfig,
    RefreshConfig,
    PageConfig,
    CaptureConfig,
    StreamConfig,
    WatchConfig {
  readonly services: {
    readonly refreshCollectorUrl: string;
    readonly billingLedgerUrl: string;
    readonly revisionStoreUrl: string;
    readonly eventStreamUrl: string;
    readonly collectorTimeoutMs: number;
    readonly revisionStoreTimeoutMs: number;
  };
  readonly deadlines: Deadlines;
}

export function loadConfig(environment: Record<string, string | undefined>): GatewayConfig {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    services: {
      refreshCollectorUrl: parsed.REFRESH_COLLECTOR_URL,
      billingLedgerUrl: parsed.BILLING_LEDGER_URL,
      revisionStoreUrl: parsed.REVISION_STORE_URL,
      eventStreamUrl: parsed.EVENT_STREAM_URL,
      collectorTimeoutMs: parsed.COLLECTOR_TIMEOUT_MS,
      revisionStoreTimeoutMs: parsed.REVISION_STORE_TIMEOUT_MS,
    },
    ...httpConfig(parsed),
    ...operatorConfig(parsed),
    ...refreshConfig(parsed),
    ...pageConfig(parsed),
    ...captureConfig(parsed),
    ...streamConfig(parsed, parsed.CONNECTIONS_MAX),
    ...watchConfig(parsed),
    deadlines: standardDeadlines,
  });
}
