import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { redact } from './redact.ts';
import { currentTraceId } from './tracing.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Structured log lines in JSON, without secrets, each with the trace id that is active. */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    formatters: { log: redact },
    // Errors are written out there already.
    serializers: { err: (written: unknown) => written },
    mixin: () => {
      const traceId = currentTraceId();
      return traceId ? { trace_id: traceId } : {};
    },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
