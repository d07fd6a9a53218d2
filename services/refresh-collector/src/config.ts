import { environment } from '@inventory/contracts/environment';
import { serviceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { deepFreeze, readSettings, url } from '@inventory/runtime/settings';
import { egressConfig, egressSettings } from './egress/egress-config.ts';
import { livePageConfig, livePageSettings } from './live-pages/live-page-config.ts';
import { sagaConfig, sagaSettings } from './saga/saga-config.ts';
import { scanConfig, scanSettings } from './scans/scan-config.ts';

export const settings = {
  ...serviceSettings,
  ENVIRONMENT: environment
    .default('live')
    .describe(
      'Environment whose accounts it serves; that of the sandbox is a deployment with a database, a ' +
        'consumer group and egress identities of its own, whose platform is a simulation',
    ),
  REVISION_STORE_URL: url().describe('Internal address of the revision-store'),
  BILLING_LEDGER_URL: url().describe('Internal address of the billing-ledger'),
  ...egressSettings,
  ...livePageSettings,
  ...scanSettings,
  ...sagaSettings,
} as const;

export type RefreshCollectorConfig = ReturnType<typeof loadConfig>;

export function loadConfig(given: Record<string, string | undefined>) {
  const parsed = readSettings(settings, given);
  return deepFreeze({
    ...serviceConfig(parsed),
    environment: parsed.ENVIRONMENT,
    revisionStoreUrl: parsed.REVISION_STORE_URL,
    billingLedgerUrl: parsed.BILLING_LEDGER_URL,
    ...egressConfig(parsed),
    ...livePageConfig(parsed),
    ...scanConfig(parsed),
    ...sagaConfig(parsed),
  });
}
