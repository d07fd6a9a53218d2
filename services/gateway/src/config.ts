import { serviceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { deepFreeze, duration, readSettings, url } from '@inventory/runtime/settings';
import { captureConfig, captureSettings } from './captures/capture-config.ts';
import { standardDeadlines } from './deadlines.ts';
import { httpConfig, httpSettings } from './http/http-config.ts';
import { operatorConfig, operatorSettings } from './operator/operator-config.ts';
import { pageConfig, pageSettings } from './pages/page-config.ts';
import { decisionConfig, decisionSettings } from './refreshes/decision-config.ts';
import { streamConfig, streamSettings } from './streams/stream-config.ts';
import { watchConfig, watchSettings } from './watches/watch-config.ts';

export const settings = {
  ...serviceSettings,
  REFRESH_COLLECTOR_URL: url().describe('Internal address of the refresh-collector'),
  SANDBOX_REFRESH_COLLECTOR_URL: url()
    .optional()
    .describe('Internal address of the refresh-collector of the sandbox; absent, there is none'),
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
  ...decisionSettings,
  ...pageSettings,
  ...captureSettings,
  ...streamSettings,
  ...watchSettings,
} as const;

export type GatewayConfig = ReturnType<typeof loadConfig>;

export function loadConfig(environment: Record<string, string | undefined>) {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    services: {
      refreshCollectorUrl: parsed.REFRESH_COLLECTOR_URL,
      sandboxRefreshCollectorUrl: parsed.SANDBOX_REFRESH_COLLECTOR_URL,
      billingLedgerUrl: parsed.BILLING_LEDGER_URL,
      revisionStoreUrl: parsed.REVISION_STORE_URL,
      eventStreamUrl: parsed.EVENT_STREAM_URL,
      collectorTimeoutMs: parsed.COLLECTOR_TIMEOUT_MS,
      revisionStoreTimeoutMs: parsed.REVISION_STORE_TIMEOUT_MS,
    },
    ...httpConfig(parsed),
    ...operatorConfig(parsed),
    ...decisionConfig(parsed),
    ...pageConfig(parsed),
    ...captureConfig(parsed),
    ...streamConfig(parsed, parsed.CONNECTIONS_MAX),
    ...watchConfig(parsed),
    deadlines: standardDeadlines,
  });
}
