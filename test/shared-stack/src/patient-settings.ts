import type { ServiceName } from '@inventory/contracts/topics';
import type { GatewayConfig } from '@inventory/gateway/config';
import type { RefreshCollectorConfig } from '@inventory/refresh-collector/config';

type Settings = Readonly<Record<string, string>>;

const farOutMs = String(600_000);

/** Timeouts that a starved machine does not reach, in every service. */
const everywhere: Settings = {
  KAFKA_TIMEOUT_MS: String(120_000),
  KAFKA_SESSION_TIMEOUT_MS: String(120_000),
  LOG_LEVEL: 'debug',
};

const ofServices: Readonly<Record<ServiceName, Settings>> = {
  gateway: {
    DECISION_TIMEOUT_MS: farOutMs,
    SANDBOX_REFRESHES_PER_MINUTE: '10000',
    CHARGE_TIMEOUT_MS: farOutMs,
    PAGE_DELIVERY_DEADLINE_MS: farOutMs,
    PAGE_REVERSAL_DELAY_MS: farOutMs,
    CAPTURE_STAGING_TIMEOUT_MS: farOutMs,
    CAPTURE_SETTLE_DEADLINE_MS: farOutMs,
    COLLECTOR_TIMEOUT_MS: farOutMs,
    REVISION_STORE_TIMEOUT_MS: farOutMs,
    LIVE_PAGE_TRANSFER_MS: farOutMs,
    STREAM_SLOW_AFTER_MS: farOutMs,
    STREAM_DRAIN_MS: '100',
    UNKNOWN_KEYS_PER_MINUTE: '1000000',
    DRAIN_MS: '1000',
  },
  'refresh-collector': {
    PLATFORM_TIMEOUT_MS: farOutMs,
    IDENTITY_REQUESTS_PER_MINUTE: '60000',
    IDENTITY_BURST: '1000',
    IDENTITY_COOLDOWN_FIRST_MS: '1500',
    IDENTITY_COOLDOWN_MAX_MS: '3000',
    PAGE_RETRY_MS: '100',
    PAGE_DUPLICATE_RETRY_MS: '200',
    LIVE_PAGE_RETRY_MS: '100',
    SCAN_LEASE_MS: farOutMs,
    SCANS_PER_ACCOUNT_MAX: '64',
  },
  'billing-ledger': {},
  'revision-store': { ASSEMBLY_LEASE_MS: farOutMs, MISSING_PAGES_WAIT_MS: '3000' },
  'event-stream': {
    WEBHOOK_TIMEOUT_MS: '120000',
    WEBHOOK_CLAIM_MS: '180000',
    WEBHOOK_RETRY_SCHEDULE_MS: '200,500,1000',
    WEBHOOK_SWEEP_EVERY_MS: '1000',
  },
};

/** Settings of the shared stack over those of the local one. */
export function patientSettings(service: ServiceName): Settings {
  return { ...everywhere, ...ofServices[service] };
}

/** The gateway with the deadlines of its steps and its live pages far out; those that pace its work stay. */
export function withPatientDeadlines(config: GatewayConfig): GatewayConfig {
  const far = Number(farOutMs);
  const deadlines = {
    ...config.deadlines,
    silenceMs: far,
    findMs: far,
    storeMs: far,
    lookUpMs: far,
    ledgerReplyMs: far,
    usageMs: far,
    eraseMs: far,
    batchMs: far,
  };
  return { ...config, deadlines, livePages: { ...config.livePages, liveWaitMs: far } };
}

/** The collector accepts the wait of such a gateway for a live page. */
export function withPatientLivePages(config: RefreshCollectorConfig): RefreshCollectorConfig {
  return { ...config, live: { ...config.live, waitMaxMs: Number(farOutMs) } };
}
