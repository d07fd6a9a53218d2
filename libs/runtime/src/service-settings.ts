import { z } from 'zod';
import { duration, list, port, type readSettings, text } from './settings.ts';

/** Settings every service has. Descriptions feed the settings table of the documentation. */
export const serviceSettings = {
  KAFKA_BROKERS: list().describe('Kafka bootstrap addresses, comma-separated host:port'),
  KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9._-]{0,60}$/)
    .default('')
    .describe('Put before every topic and group name, so that several stacks can share a cluster'),
  MONGODB_URI: text().describe("MongoDB connection string of this service's own database server"),
  MONGODB_DATABASE: text().describe("Name of this service's own database"),
  HTTP_HOST: text().default('127.0.0.1').describe('Address the internal HTTP server binds to'),
  HTTP_PORT: port().describe('Port of the internal HTTP server: health, metrics, internal API'),
  SERVICE_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Shared secret that internal HTTP calls must carry; not required when absent'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged'),
  STOP_DEADLINE_MS: duration()
    .prefault('45000')
    .describe('Longest graceful stop before the process ends anyway'),
} as const;

export interface ServiceConfig {
  readonly kafka: { readonly brokers: readonly string[]; readonly topicPrefix: string };
  readonly mongodb: { readonly uri: string; readonly database: string };
  readonly http: { readonly host: string; readonly port: number };
  readonly serviceToken: string | undefined;
  readonly logLevel: string;
  readonly stopDeadlineMs: number;
}

/** Nests the common settings; `parsed` comes from {@link readSettings} over a wider shape. */
export function serviceConfig(
  parsed: ReturnType<typeof readSettings<typeof serviceSettings>>,
): ServiceConfig {
  return {
    kafka: { brokers: parsed.KAFKA_BROKERS, topicPrefix: parsed.KAFKA_TOPIC_PREFIX },
    mongodb: { uri: parsed.MONGODB_URI, database: parsed.MONGODB_DATABASE },
    http: { host: parsed.HTTP_HOST, port: parsed.HTTP_PORT },
    serviceToken: parsed.SERVICE_TOKEN,
    logLevel: parsed.LOG_LEVEL,
    stopDeadlineMs: parsed.STOP_DEADLINE_MS,
  };
}
