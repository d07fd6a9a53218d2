import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { currentTraceId } from './tracing.ts';

export type Logger = PinoLogger;

/** Header and field names whose values never reach a log line, at any depth used here. */
export const redactedNames = [
  'x-api-key',
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-service-token',
  'idempotency-key',
  'api_key',
  'apiKey',
  'secret',
  'password',
  'token',
] as const;

const redactedPaths = redactedNames.flatMap((name) => {
  const key = JSON.stringify(name);
  return [`[${key}]`, `*[${key}]`, `*.*[${key}]`];
});

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Structured log lines in JSON, each with the trace id that is active. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    mixin: () => {
      const traceId = currentTraceId();
      return traceId ? { trace_id: traceId } : {};
    },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
