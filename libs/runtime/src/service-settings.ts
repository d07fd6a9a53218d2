import { z } from 'zod';
import { type KafkaAccess, kafkaAccess, kafkaSettings } from './kafka-access.ts';
import { type MongodbAccess, mongodbAccess, mongodbSettings } from './mongodb-access.ts';
import { duration, list, needing, type Parsed, port, text } from './settings.ts';

const isLoopback = (host: string) => /^(localhost|127\.[0-9.]+|::1)$/.test(host);

const callerForm = /^([a-z][a-z-]{0,39}):([0-9a-f]{64})$/;

const caller = z.string().transform((given, context): ServiceCaller => {
  const [, name, tokenDigest] = callerForm.exec(given) ?? [];
  if (name !== undefined && tokenDigest !== undefined) return { name, tokenDigest };
  context.addIssue('must be <service>:<SHA-256 of its token in hex>');
  return z.NEVER;
});

/** Settings of every service. Descriptions are the documentation's settings table. */
export const serviceSettings = {
  ...kafkaSettings,
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]{0,60}$/)
    .default('')
    .describe('Prefix of every topic and group name, so that several stacks can share a cluster'),
  ...mongodbSettings,
  MONGODB_DATABASE: text().describe("Name of this service's own database"),
  HTTP_HOST: needing(
    text()
      .default('127.0.0.1')
      .describe(
        'Address that the internal HTTP server binds to; one that other machines reach needs ' +
          'SERVICE_CALLERS',
      ),
    (host) => (isLoopback(host) ? [] : ['SERVICE_CALLERS']),
  ),
  HTTP_PORT: port().describe('Port of the internal HTTP server: health, metrics, internal API'),
  SERVICE_TOKEN: z
    .string()
    .regex(/^[^\s,]{16,}$/, 'must be one token of at least 16 characters')
    .optional()
    .describe("This service's own token, sent with its calls to other services"),
  SERVICE_CALLERS: list()
    .pipe(z.array(caller))
    .optional()
    .describe(
      'Services whose calls are accepted, comma-separated: `service:digest`, the SHA-256 of its token ' +
        'in hex; a service may occur twice while its token is replaced; when absent, calls from this ' +
        'machine need no token',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged'),
  STOP_DEADLINE_MS: duration()
    .prefault('45000')
    .describe('Longest graceful stop before the process is ended'),
} as const;

/** Another service, by one of its tokens. */
export interface ServiceCaller {
  readonly name: string;
  /** SHA-256 of the token in hex. */
  readonly tokenDigest: string;
}

export interface ServiceConfig {
  /** Sandbox for the second deployment of a service that each environment has its own of. */
  readonly environment: 'live' | 'sandbox';
  readonly kafka: KafkaAccess & { readonly topicPrefix: string };
  readonly mongodb: MongodbAccess & { readonly database: string };
  readonly http: { readonly host: string; readonly port: number };
  /** Sent with calls to other services. */
  readonly serviceToken: string | undefined;
  /** Whose calls are accepted; when empty, none needs a token. */
  readonly serviceCallers: readonly ServiceCaller[];
  readonly logLevel: string;
  readonly stopDeadlineMs: number;
}

/** Nests the common settings; `parsed` comes from `readSettings` over a wider shape. */
export function serviceConfig(parsed: Parsed<typeof serviceSettings>): ServiceConfig {
  return {
    environment: 'live',
    kafka: { ...kafkaAccess(parsed), topicPrefix: parsed.KAFKA_TOPIC_PREFIX },
    mongodb: { ...mongodbAccess(parsed), database: parsed.MONGODB_DATABASE },
    http: { host: parsed.HTTP_HOST, port: parsed.HTTP_PORT },
    serviceToken: parsed.SERVICE_TOKEN,
    serviceCallers: parsed.SERVICE_CALLERS ?? [],
    logLevel: parsed.LOG_LEVEL,
    stopDeadlineMs: parsed.STOP_DEADLINE_MS,
  };
}
