import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { redact } from './redact.ts';
import { currentTraceId } from './tracing.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Standard output by default. */
  readonly destination?: DestinationStream;
}

/** Structured log lines in JSON, without secrets, with the active trace id. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    formatters: { log: redact },
    // `redact` has serialized errors already.
    serializers: { err: (written: unknown) => written },
    mixin: () => {
      const traceId = currentTraceId();
      return traceId ? { trace_id: traceId } : {};
    },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
