import {
  count,
  duration,
  integer,
  list,
  type Parsed,
  text,
  url,
} from '@inventory/runtime/settings';
import { identityId, parseEgressName } from './egress-name.domain.ts';

export const egressSettings = {
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
    .describe('Largest platform response read, as sent and as decoded'),
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
  IDENTITY_COOLDOWN_FIRST_MS: duration()
    .prefault('90000')
    .describe('Cooldown of an egress identity after a refusal; doubles with each in a row'),
  IDENTITY_COOLDOWN_MAX_MS: duration().prefault('1800000').describe('Longest such cooldown'),
  IDENTITY_UNREACHABLE_FIRST_MS: duration()
    .prefault('10000')
    .describe(
      'Cooldown of an egress identity without a connection; doubles with each failure in a row',
    ),
  IDENTITY_UNREACHABLE_MAX_MS: duration().prefault('300000').describe('Longest such cooldown'),
  PAGE_TRIES_MAX: integer(1, 100).prefault('5').describe('Failed tries of one page'),
  PAGE_THROTTLED_MAX: integer(1, 1_000).prefault('6').describe('Throttled tries of one page'),
  PAGE_RETRY_MS: duration().prefault('4000').describe('Pause before a page is retried'),
  PAGE_DUPLICATE_RETRY_MS: duration()
    .prefault('5000')
    .describe('Pause after the platform refused a second read of one inventory'),
} as const;

const watchMs = 1_000;

export type EgressConfig = ReturnType<typeof egressConfig>;

export function egressConfig(parsed: Parsed<typeof egressSettings>) {
  return {
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
      cooldownFirstMs: parsed.IDENTITY_COOLDOWN_FIRST_MS,
      cooldownMaxMs: parsed.IDENTITY_COOLDOWN_MAX_MS,
      unreachableFirstMs: parsed.IDENTITY_UNREACHABLE_FIRST_MS,
      unreachableMaxMs: parsed.IDENTITY_UNREACHABLE_MAX_MS,
    },
    pages: {
      triesMax: parsed.PAGE_TRIES_MAX,
      throttledMax: parsed.PAGE_THROTTLED_MAX,
      retryMs: parsed.PAGE_RETRY_MS,
      duplicateRetryMs: parsed.PAGE_DUPLICATE_RETRY_MS,
      count: parsed.PLATFORM_PAGE_COUNT,
      smallerCount: parsed.PLATFORM_SMALLER_PAGE_COUNT,
    },
    /** How often the breakers of other replicas are read. */
    watchMs,
  };
}

function namesEachOnce(names: readonly string[]): boolean {
  const ids = names.map((name) => {
    const egress = parseEgressName(name);
    return egress && identityId(egress);
  });
  return new Set(ids).size === names.length;
}
