import { fromIsoTime } from '@inventory/runtime/clock';
import {
  count,
  duration,
  integer,
  list,
  type Parsed,
  port,
  secretKey,
  text,
  url,
} from '@inventory/runtime/settings';
import { z } from 'zod';
import { parseNetwork } from '../tenancy/network-policy.domain.ts';

const network = z.string().transform((given, context) => {
  const parsed = parseNetwork(given);
  if (parsed.result === 'valid') return parsed.network;
  context.addIssue({ code: 'custom', message: parsed.reason });
  return z.NEVER;
});

export const httpSettings = {
  PUBLIC_HTTP_HOST: text().default('127.0.0.1').describe('Address the public API binds to'),
  PUBLIC_HTTP_PORT: port().describe('Port of the public API'),
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
        'Credential has; past it they are refused, and its keys that exist are looked up one after the other',
    ),
  CUSTOMER_REQUESTS_PER_MINUTE: integer(1, 1_000_000)
    .prefault('1200')
    .describe(
      'Requests per minute of all Service accounts of a customer account, unless an operator sets ' +
        'it for the account; a Service account with a larger rate limit may use that',
    ),
  OPEN_REQUESTS_PER_MINUTE: integer(1, 1_000_000)
    .prefault('60')
    .describe(
      'Requests for the status of the service, which needs no key, of one client address (of IPv6 ' +
        'a /64, and eight times as many a /48) in a minute, on one replica',
    ),
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
  CONSOLE: z
    .enum(['true', 'false'])
    .default('true')
    .describe('Whether the console is served at `/console`'),
  CONSOLE_PICTURES_URL: url()
    .optional()
    .describe(
      'Address of pictures of items, to which the console appends the `icon_url` of a description and ' +
        '`/96fx96f`; browsers load them from its host. Absent, the console shows initials',
    ),
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
  DRAIN_MS: duration()
    .prefault('12000')
    .describe('Longest wait for requests in flight when the service stops'),
} as const;

export type HttpConfig = Readonly<ReturnType<typeof httpConfig>> & {
  readonly deadlines: Readonly<
    Record<'silenceMs' | 'findMs' | 'lookUpMs' | 'unknownKeyDelayMs', number>
  >;
};

export function httpConfig(parsed: Parsed<typeof httpSettings>) {
  return {
    publicHttp: { host: parsed.PUBLIC_HTTP_HOST, port: parsed.PUBLIC_HTTP_PORT },
    cursorKeys: parsed.CURSOR_KEYS,
    trustedProxies: parsed.TRUSTED_PROXIES ?? [],
    connectionsMax: parsed.CONNECTIONS_MAX,
    connectionsPerPeerMax: parsed.CONNECTIONS_PER_PEER_MAX,
    unknownKeysPerMinute: parsed.UNKNOWN_KEYS_PER_MINUTE,
    customerRequestsPerMinute: parsed.CUSTOMER_REQUESTS_PER_MINUTE,
    openRequestsPerMinute: parsed.OPEN_REQUESTS_PER_MINUTE,
    v1DeprecatedAtMs: fromIsoTime(`${parsed.V1_DEPRECATED_AT}T00:00:00.000Z`),
    reference: {
      isServed: parsed.API_REFERENCE === 'true',
      canTry: parsed.API_REFERENCE_TRY === 'true',
    },
    console: {
      isServed: parsed.CONSOLE === 'true',
      picturesUrl: parsed.CONSOLE_PICTURES_URL ?? null,
    },
    role: parsed.GATEWAY_ROLE,
    eventsOrigin: parsed.EVENTS_ORIGIN ?? null,
    drainMs: parsed.DRAIN_MS,
  };
}
