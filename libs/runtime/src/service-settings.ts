import { z } from 'zod';
import { type KafkaAccess, kafkaAccess, kafkaSettings } from './kafka-access.ts';
import { type MongodbAccess, mongodbAccess, mongodbSettings } from './mongodb-access.ts';
import { needing } from './setting-needs.ts';
import { duration, list, port, type readSettings, text } from './settings.ts';

const isLoopback = (host: string) => /^(localhost|127\.[0-9.]+|::1)$/.test(host);

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
          'SERVICE_TOKEN',
      ),
    (host) => (isLoopback(host) ? [] : ['SERVICE_TOKEN']),
  ),
  HTTP_PORT: port().describe('Port of the internal HTTP server: health, metrics, internal API'),
  SERVICE_TOKEN: list()
    .pipe(z.array(z.string().min(16)))
    .optional()
    .describe(
      'Shared secrets of internal HTTP calls, comma-separated: the first is sent, all are ' +
        'accepted; when absent, calls from this machine need none',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged'),
  STOP_DEADLINE_MS: duration()
    .prefault('45000')
    .describe('Longest graceful stop before the process is ended'),
} as const;

export interface ServiceConfig {
  readonly kafka: KafkaAccess & { readonly topicPrefix: string };
  readonly mongodb: MongodbAccess & { readonly database: string };
  readonly http: { readonly host: string; readonly port: number };
  /** The first is sent with internal calls, all are accepted; when empty, none is required. */
  readonly serviceTokens: readonly string[];
  readonly logLevel: string;
  readonly stopDeadlineMs: number;
}

/** Nests the common settings; `parsed` comes from {@link readSettings} over a wider shape. */
export function serviceConfig(
  parsed: ReturnType<typeof readSettings<typeof serviceSettings>>,
): ServiceConfig {
  return {
    kafka: { ...kafkaAccess(parsed), topicPrefix: parsed.KAFKA_TOPIC_PREFIX },
    mongodb: { ...mongodbAccess(parsed), database: parsed.MONGODB_DATABASE },
    http: { host: parsed.HTTP_HOST, port: parsed.HTTP_PORT },
    serviceTokens: parsed.SERVICE_TOKEN ?? [],
    logLevel: parsed.LOG_LEVEL,
    stopDeadlineMs: parsed.STOP_DEADLINE_MS,
  };
}
