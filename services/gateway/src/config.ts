import { scopePath } from '@inventory/contracts/http/parameters';
import { livePageWaitMaxMs } from '@inventory/contracts/internal/live-page';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { KeyedLimits } from '@inventory/runtime/semaphore';
import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import {
  count,
  deepFreeze,
  duration,
  integer,
  list,
  port,
  readSettings,
  secretKey,
  text,
  url,
} from '@inventory/runtime/settings';
import { z } from 'zod';
import { type Deadlines, standardDeadlines } from './deadlines.ts';
import type { GatewayRole } from './http/public-route.ts';
import type { ReferenceOptions } from './http/reference/reference-pages.ts';
import { operatorSettings, operatorsOf } from './operator/operator-settings.ts';
import type { Operator } from './operator/operators.domain.ts';
import { streamLimitsOf, streamSettings } from './streams/stream-settings.ts';
import { parseNetwork } from './tenancy/network-policy.domain.ts';

const network = z.string().transform((given, context) => {
  const parsed = parseNetwork(given);
  if (parsed.result === 'valid') return parsed.network;
  context.addIssue({ code: 'custom', message: parsed.reason });
  return z.NEVER;
});

export const settings = {
  ...serviceSettings,
  PUBLIC_HTTP_HOST: text().default('127.0.0.1').describe('Address the public API binds to'),
  PUBLIC_HTTP_PORT: port().describe('Port of the public API'),
  ...operatorSettings,
  REFRESH_COLLECTOR_URL: url().describe('Internal address of the refresh-collector'),
  BILLING_LEDGER_URL: url().describe('Internal address of the billing-ledger'),
  REVISION_STORE_URL: url().describe('Internal address of the revision-store'),
  EVENT_STREAM_URL: url().describe('Internal address of the event-stream'),
  CURSOR_KEYS: list()
    .pipe(z.array(secretKey()))
    .describe(
      'Keys that cursors are sealed and signed with, comma-separated, 32 bytes each in base64url: ' +
        'the first is used, all are accepted; keep a replaced key for as long as event cursors live (LOG_KEEP_MS)',
    ),
  TRUSTED_PROXIES: list()
    .pipe(z.array(network))
    .optional()
    .describe(
      'Networks (CIDR, comma-separated) of the proxies in front; only their entries in ' +
        'X-Forwarded-For determine the client address, and what they report as X-Forwarded-Proto: http is refused',
    ),
  CONNECTIONS_MAX: count()
    .prefault('16000')
    .describe(
      'Connections to the public port of one replica, event streams included; further ones are ' +
        'closed. Below the limit of file handles',
    ),
  CONNECTIONS_PER_PEER_MAX: count()
    .prefault('1000')
    .describe(
      'The same of one client address (of IPv6 a /64, and eight times as many a /48), except of ' +
        'TRUSTED_PROXIES',
    ),
  UNKNOWN_KEYS_PER_MINUTE: integer(1, 1_000_000)
    .prefault('120')
    .describe(
      'Keys of one client address (of IPv6 a /64, and eight times as many a /48) in a minute that no ' +
        'Credential has; past it its unknown keys are refused without a look-up',
    ),
  CUSTOMER_REQUESTS_PER_MINUTE: integer(1, 1_000_000)
    .prefault('1200')
    .describe(
      'Requests per minute of all Service accounts of a customer account, unless an operator sets ' +
        'it for the account; a Service account with a larger rate limit may use that',
    ),
  DECISION_TIMEOUT_MS: duration()
    .prefault('10000')
    .describe('Longest wait for the decision on a refresh or a cancel'),
  CHARGE_TIMEOUT_MS: duration()
    .prefault('5000')
    .describe('Longest wait for the billing outcome of a page'),
  PAGE_DELIVERY_DEADLINE_MS: duration()
    .prefault('30000')
    .describe('Age of a page read past which no first byte is written and its charge is reversed'),
  PAGE_REVERSAL_DELAY_MS: duration()
    .prefault('30000')
    .describe(
      'Time past its delivery deadline after which any replica reverses the charge of a page; ' +
        'larger than the clocks of two replicas can differ',
    ),
  CAPTURE_CHAIN_DEADLINE_MS: duration()
    .prefault('600000')
    .describe('Age of a Live Page chain past which it is only read and no longer captured'),
  CAPTURE_STAGING_TIMEOUT_MS: duration()
    .prefault('2000')
    .describe('Longest time that staging a captured page may take while its charge is decided'),
  CAPTURE_SETTLE_DEADLINE_MS: duration()
    .prefault('300000')
    .describe('Longest wait of a complete capture until all its pages are known to be paid'),
  CAPTURE_APPS_EXCLUDED: list()
    .pipe(z.array(scopePath.shape.app_id))
    .optional()
    .describe(
      'Applications (comma-separated app_id) whose chains of Live Pages are never captured',
    ),
  COLLECTOR_TIMEOUT_MS: duration()
    .prefault('3000')
    .describe('Longest wait for a read of the refresh-collector or the billing-ledger'),
  REVISION_STORE_TIMEOUT_MS: duration()
    .prefault('5000')
    .describe('Longest wait for a page of the revision-store'),
  LIVE_PAGE_WAIT_MS: integer(1_000, livePageWaitMaxMs)
    .prefault('19000')
    .describe('Longest wait for the platform, confirmation of a denial included'),
  LIVE_PAGE_TRANSFER_MS: duration()
    .prefault('1000')
    .describe('Additional time for the transfer of the page from the refresh-collector'),
  LIVE_PAGES_MAX: integer(1, 100_000)
    .prefault('1000')
    .describe('Most live pages that one replica has the refresh-collector read at once'),
  LIVE_PAGES_PER_ACCOUNT_MAX: integer(1, 100_000)
    .prefault('100')
    .describe('Most live pages of one account at once, on one replica'),
  LIVE_CURSOR_AGE_MAX_MS: duration()
    .prefault('86400000')
    .describe('Age past which a cursor of Live Pages is no longer readable'),
  READ_KEY_KEEP_MS: duration()
    .prefault('600000')
    .describe('How long the Idempotency-Key of a page read is kept'),
  V1_DEPRECATED_AT: z.iso
    .date()
    .prefault('2026-01-01')
    .describe('Day since which V1 is deprecated, stated in its responses'),
  API_REFERENCE: z
    .enum(['true', 'false'])
    .default('true')
    .describe('Whether the reference page is served at `/docs`'),
  API_REFERENCE_TRY: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether operations can be called from the reference page, with a key typed in'),
  GATEWAY_ROLE: z
    .enum(['api', 'events', 'both'])
    .default('both')
    .describe(
      'Operations that this process serves: `events` the event stream alone, `api` everything else, ' +
        '`both` all',
    ),
  EVENTS_ORIGIN: url()
    .optional()
    .describe(
      'Public origin of the event stream where it is not that of the public API; stated in the ' +
        'OpenAPI document',
    ),
  ...streamSettings,
  DRAIN_MS: duration()
    .prefault('12000')
    .describe('Longest wait for requests in flight when the service stops'),
} as const;

export interface PublicApiLimits {
  readonly decisionTimeoutMs: number;
  readonly chargeTimeoutMs: number;
  readonly deliverWithinMs: number;
  readonly reverseAfterMs: number;
  readonly readKeyKeepMs: number;
  readonly drainMs: number;
}

export interface GatewayConfig extends ServiceConfig {
  readonly publicHttp: { readonly host: string; readonly port: number };
  readonly operatorHttp: { readonly host: string; readonly port: number };
  readonly operatorApi: {
    readonly operators: readonly Operator[];
    readonly attemptsPerMinute: number;
  };
  readonly services: {
    readonly refreshCollectorUrl: string;
    readonly billingLedgerUrl: string;
    readonly revisionStoreUrl: string;
    readonly eventStreamUrl: string;
    readonly collectorTimeoutMs: number;
    readonly revisionStoreTimeoutMs: number;
  };
  /** Base64url; the first seals. */
  readonly cursorKeys: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly reference: ReferenceOptions;
  readonly connectionsMax: number;
  readonly connectionsPerPeerMax: number;
  readonly unknownKeysPerMinute: number;
  readonly customerRequestsPerMinute: number;
  readonly limits: PublicApiLimits;
  readonly role: GatewayRole;
  /** Null where the event stream has the origin of the public API. */
  readonly eventsOrigin: string | null;
  readonly streams: ReturnType<typeof streamLimitsOf>;
  readonly livePages: {
    readonly liveWaitMs: number;
    readonly liveTransferMs: number;
    readonly limits: KeyedLimits;
    readonly cursorAgeMaxMs: number;
  };
  readonly v1DeprecatedAtMs: number;
  readonly captures: {
    readonly chainDeadlineMs: number;
    readonly stagingTimeoutMs: number;
    readonly settleWithinMs: number;
    readonly appsExcluded: readonly number[];
  };
  readonly deadlines: Deadlines;
}

export function loadConfig(environment: Record<string, string | undefined>): GatewayConfig {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    publicHttp: { host: parsed.PUBLIC_HTTP_HOST, port: parsed.PUBLIC_HTTP_PORT },
    operatorHttp: { host: parsed.OPERATOR_HTTP_HOST, port: parsed.OPERATOR_HTTP_PORT },
    operatorApi: {
      operators: operatorsOf(parsed.OPERATORS, parsed.OPERATOR_TOKEN),
      attemptsPerMinute: parsed.OPERATOR_ATTEMPTS_PER_MINUTE,
    },
    services: {
      refreshCollectorUrl: parsed.REFRESH_COLLECTOR_URL,
      billingLedgerUrl: parsed.BILLING_LEDGER_URL,
      revisionStoreUrl: parsed.REVISION_STORE_URL,
      eventStreamUrl: parsed.EVENT_STREAM_URL,
      collectorTimeoutMs: parsed.COLLECTOR_TIMEOUT_MS,
      revisionStoreTimeoutMs: parsed.REVISION_STORE_TIMEOUT_MS,
    },
    cursorKeys: parsed.CURSOR_KEYS,
    trustedProxies: parsed.TRUSTED_PROXIES ?? [],
    reference: {
      isServed: parsed.API_REFERENCE === 'true',
      canTry: parsed.API_REFERENCE_TRY === 'true',
    },
    role: parsed.GATEWAY_ROLE,
    eventsOrigin: parsed.EVENTS_ORIGIN ?? null,
    streams: streamLimitsOf(parsed, parsed.CONNECTIONS_MAX),
    livePages: {
      liveWaitMs: parsed.LIVE_PAGE_WAIT_MS,
      liveTransferMs: parsed.LIVE_PAGE_TRANSFER_MS,
      limits: { perKeyMax: parsed.LIVE_PAGES_PER_ACCOUNT_MAX, totalMax: parsed.LIVE_PAGES_MAX },
      cursorAgeMaxMs: parsed.LIVE_CURSOR_AGE_MAX_MS,
    },
    v1DeprecatedAtMs: fromIsoTime(`${parsed.V1_DEPRECATED_AT}T00:00:00.000Z`),
    connectionsMax: parsed.CONNECTIONS_MAX,
    connectionsPerPeerMax: parsed.CONNECTIONS_PER_PEER_MAX,
    unknownKeysPerMinute: parsed.UNKNOWN_KEYS_PER_MINUTE,
    customerRequestsPerMinute: parsed.CUSTOMER_REQUESTS_PER_MINUTE,
    limits: {
      decisionTimeoutMs: parsed.DECISION_TIMEOUT_MS,
      chargeTimeoutMs: parsed.CHARGE_TIMEOUT_MS,
      deliverWithinMs: parsed.PAGE_DELIVERY_DEADLINE_MS,
      reverseAfterMs: parsed.PAGE_REVERSAL_DELAY_MS,
      readKeyKeepMs: parsed.READ_KEY_KEEP_MS,
      drainMs: parsed.DRAIN_MS,
    },
    captures: {
      chainDeadlineMs: parsed.CAPTURE_CHAIN_DEADLINE_MS,
      stagingTimeoutMs: parsed.CAPTURE_STAGING_TIMEOUT_MS,
      settleWithinMs: parsed.CAPTURE_SETTLE_DEADLINE_MS,
      appsExcluded: parsed.CAPTURE_APPS_EXCLUDED ?? [],
    },
    deadlines: standardDeadlines,
  });
}
