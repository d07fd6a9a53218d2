import { livePageWaitMaxMs } from '@inventory/contracts/internal/live-page';
import type { Backoff } from '@inventory/runtime/backoff';
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
  readSettings,
  text,
  url,
} from '@inventory/runtime/settings';
import type { IdentityLimits } from './egress/egress-identity.domain.ts';
import { identityId, parseEgressName } from './egress/egress-name.domain.ts';
import type { ScanRules } from './scans/scan.domain.ts';

export const settings = {
  ...serviceSettings,
  REVISION_STORE_URL: url().describe('Internal address of the revision-store'),
  BILLING_LEDGER_URL: url().describe('Internal address of the billing-ledger'),
  PLATFORM_BASE_URL: url().describe('Address of the platform whose inventories are read'),
  PLATFORM_EGRESS: list()
    .refine((names) => names.every((name) => parseEgressName(name) !== null), {
      error: 'each must be direct, direct:<local address> or the http(s) URL of a proxy',
      abort: true,
    })
    .refine(namesEachOnce, 'names an identity twice')
    .prefault('direct')
    .describe('Egress identities: direct, direct:<local address>, or HTTP proxy URLs'),
  PLATFORM_TIMEOUT_MS: duration().prefault('20000').describe('Longest wait for one platform page'),
  PLATFORM_CONNECT_TIMEOUT_MS: duration()
    .prefault('5000')
    .describe('Longest wait for a connection with the platform, or with a proxy and through it'),
  PLATFORM_BODY_BYTES_MAX: count()
    .prefault('8388608')
    .describe('Largest platform answer read, as sent and as decoded'),
  PLATFORM_PAGE_COUNT: integer(1, 5_000).prefault('2000').describe('Assets requested per page'),
  PLATFORM_SMALLER_PAGE_COUNT: integer(1, 5_000)
    .prefault('1000')
    .describe('Assets requested once the platform refuses the larger count'),
  PLATFORM_USER_AGENT: text()
    .default('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36')
    .describe('User agent the platform sees'),
  IDENTITY_REQUESTS_PER_MINUTE: integer(1, 100_000)
    .prefault('3')
    .describe('Requests a minute through one egress identity'),
  IDENTITY_BURST: integer(1, 1_000)
    .prefault('2')
    .describe('Requests one egress identity may send at once after a pause'),
  IDENTITY_SILENCE_FIRST_MS: duration()
    .prefault('90000')
    .describe('Silence of an egress identity after a refusal; doubles with each in a row'),
  IDENTITY_SILENCE_MAX_MS: duration().prefault('1800000').describe('Longest such silence'),
  IDENTITY_UNREACHABLE_FIRST_MS: duration()
    .prefault('10000')
    .describe(
      'Rest of an egress identity without a connection; doubles with each failure in a row',
    ),
  IDENTITY_UNREACHABLE_MAX_MS: duration().prefault('300000').describe('Longest such rest'),
  PAGE_TRIES_MAX: integer(1, 100).prefault('5').describe('Failed tries of one page'),
  PAGE_THROTTLED_MAX: integer(1, 1_000).prefault('6').describe('Throttled tries of one page'),
  PAGE_RETRY_MS: duration().prefault('4000').describe('Pause before a page is retried'),
  PAGE_DUPLICATE_RETRY_MS: duration()
    .prefault('5000')
    .describe('Pause after the platform refused a second read of one inventory'),
  LIVE_PAGE_TRIES_MAX: integer(1, 100).prefault('3').describe('Failed tries of one live page'),
  LIVE_PAGE_RETRY_MS: duration().prefault('1000').describe('Pause before a live page is retried'),
  LIVE_PAGES_MAX: integer(1, 100_000)
    .prefault('1000')
    .describe('Most live pages one replica reads or waits for at once'),
  LIVE_PAGES_PER_ACCOUNT_MAX: integer(1, 100_000)
    .prefault('100')
    .describe('Most live pages of one account at once, on one replica'),
  SCAN_PAGES_MAX: integer(1, 250).prefault('250').describe('Most pages of one scan'),
  SCAN_LEASE_MS: duration()
    .prefault('15000')
    .describe('Lease of a scan and of the planner: another replica takes over once it expires'),
  SCANS_MAX: integer(1, 10_000)
    .prefault('64')
    .describe('Most scans one replica runs at once; parked ones do not count'),
  SCANS_PER_ACCOUNT_MAX: integer(1, 10_000)
    .prefault('16')
    .describe('Most scans of one account at once, over all replicas; parked ones do not count'),
  SCHEDULE_IDLE_MS: duration()
    .prefault('250')
    .describe(
      'Longest pause of planner and workers between two reads of what changed, and the shortest between two plans',
    ),
  QUEUE_DEADLINE_MS: duration().prefault('1800000').describe('Longest time in the queue'),
  COLLECT_DEADLINE_MS: duration().prefault('3600000').describe('Longest time of collecting'),
  SETTLE_GRACE_MS: duration()
    .prefault('600000')
    .describe('Time after these deadlines from which a scan that is not saved yet is abandoned'),
  OUTSTANDING_MAX: count().prefault('10000').describe('Outstanding refreshes that close admission'),
  OUTSTANDING_PER_ACCOUNT_MAX: count()
    .prefault('1000')
    .describe('Most outstanding refreshes of one account'),
  REFRESH_KEEP_MS: integer(0, 400 * 86_400_000)
    .prefault(String(30 * 86_400_000))
    .describe('How long a terminal refresh and its Idempotency-Key are kept'),
  REFUSED_KEEP_MS: duration().prefault('86400000').describe('How long a refused attempt is kept'),
  ASK_AGAIN_FIRST_MS: duration()
    .prefault('10000')
    .describe('Wait before a pending command is resent'),
  ASK_AGAIN_MAX_MS: duration()
    .prefault('120000')
    .describe('Longest wait before it is resent again'),
  HOLD_SWEEP_MS: duration().prefault('600000').describe('How often old holds are resolved'),
  HOLD_AGE_SECONDS: count().prefault('3600').describe('Age from which a hold is old'),
} as const;

export interface RefreshCollectorConfig extends ServiceConfig {
  readonly revisionStoreUrl: string;
  readonly billingLedgerUrl: string;
  readonly platform: {
    readonly baseUrl: string;
    readonly egress: readonly string[];
    readonly timeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly bodyBytesMax: number;
    readonly userAgent: string;
  };
  readonly identities: IdentityLimits;
  readonly scan: ScanRules;
  readonly live: {
    readonly triesMax: number;
    readonly retryMs: number;
    readonly limits: KeyedLimits;
    /** Longest time that a caller may wait for one. */
    readonly waitMaxMs: number;
  };
  readonly scheduling: {
    readonly leaseMs: number;
    readonly scansMax: number;
    readonly scansPerAccountMax: number;
    readonly idleMs: number;
  };
  readonly deadlines: {
    readonly queueMs: number;
    readonly collectMs: number;
    /** From then to the deadline of assembly and settlement. */
    readonly settleGraceMs: number;
  };
  readonly admission: {
    readonly outstandingMax: number;
    readonly outstandingPerAccountMax: number;
  };
  /** How long a terminal refresh and a refused attempt are kept. */
  readonly retention: { readonly terminalMs: number; readonly refusedMs: number };
  /** Of pending commands. */
  readonly resend: Backoff;
  readonly holds: { readonly sweepMs: number; readonly ageSeconds: number };
  /** How often admission, the breakers of other replicas and pending commands are read. */
  readonly watchMs: number;
}

const watchMs = 1_000;

export function loadConfig(
  environment: Record<string, string | undefined>,
): RefreshCollectorConfig {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    revisionStoreUrl: parsed.REVISION_STORE_URL,
    billingLedgerUrl: parsed.BILLING_LEDGER_URL,
    platform: {
      baseUrl: parsed.PLATFORM_BASE_URL,
      egress: parsed.PLATFORM_EGRESS,
      timeoutMs: parsed.PLATFORM_TIMEOUT_MS,
      connectTimeoutMs: parsed.PLATFORM_CONNECT_TIMEOUT_MS,
      bodyBytesMax: parsed.PLATFORM_BODY_BYTES_MAX,
      userAgent: parsed.PLATFORM_USER_AGENT,
    },
    identities: {
      requestsPerMinute: parsed.IDENTITY_REQUESTS_PER_MINUTE,
      burst: parsed.IDENTITY_BURST,
      silenceFirstMs: parsed.IDENTITY_SILENCE_FIRST_MS,
      silenceMaxMs: parsed.IDENTITY_SILENCE_MAX_MS,
      unreachableFirstMs: parsed.IDENTITY_UNREACHABLE_FIRST_MS,
      unreachableMaxMs: parsed.IDENTITY_UNREACHABLE_MAX_MS,
    },
    scan: {
      pagesMax: parsed.SCAN_PAGES_MAX,
      triesMax: parsed.PAGE_TRIES_MAX,
      throttledMax: parsed.PAGE_THROTTLED_MAX,
      retryMs: parsed.PAGE_RETRY_MS,
      duplicateRetryMs: parsed.PAGE_DUPLICATE_RETRY_MS,
      count: parsed.PLATFORM_PAGE_COUNT,
      smallerCount: parsed.PLATFORM_SMALLER_PAGE_COUNT,
    },
    live: {
      triesMax: parsed.LIVE_PAGE_TRIES_MAX,
      retryMs: parsed.LIVE_PAGE_RETRY_MS,
      limits: { perKeyMax: parsed.LIVE_PAGES_PER_ACCOUNT_MAX, totalMax: parsed.LIVE_PAGES_MAX },
      waitMaxMs: livePageWaitMaxMs,
    },
    scheduling: {
      leaseMs: parsed.SCAN_LEASE_MS,
      scansMax: parsed.SCANS_MAX,
      scansPerAccountMax: parsed.SCANS_PER_ACCOUNT_MAX,
      idleMs: parsed.SCHEDULE_IDLE_MS,
    },
    deadlines: {
      queueMs: parsed.QUEUE_DEADLINE_MS,
      collectMs: parsed.COLLECT_DEADLINE_MS,
      settleGraceMs: parsed.SETTLE_GRACE_MS,
    },
    admission: {
      outstandingMax: parsed.OUTSTANDING_MAX,
      outstandingPerAccountMax: parsed.OUTSTANDING_PER_ACCOUNT_MAX,
    },
    retention: { terminalMs: parsed.REFRESH_KEEP_MS, refusedMs: parsed.REFUSED_KEEP_MS },
    resend: { firstMs: parsed.ASK_AGAIN_FIRST_MS, maxMs: parsed.ASK_AGAIN_MAX_MS },
    holds: { sweepMs: parsed.HOLD_SWEEP_MS, ageSeconds: parsed.HOLD_AGE_SECONDS },
    watchMs,
  });
}

function namesEachOnce(names: readonly string[]): boolean {
  const ids = names.map((name) => {
    const egress = parseEgressName(name);
    return egress && identityId(egress);
  });
  return new Set(ids).size === names.length;
}
