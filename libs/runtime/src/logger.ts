import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { type LogOutput, openLogOutput } from './log-output.ts';
import { redact } from './redact.ts';
import { currentTraceId } from './tracing.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly service: string;
  readonly level: string;
  /** Standard output by default. */
  readonly destination?: DestinationStream;
}

let standardOutput: LogOutput | undefined;

/**
 * Structured log lines in JSON, without secrets, with the active trace id. Names of fields are
 * camelCase in the code and snake_case in the line.
 */
export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    formatters: { log: (fields: Record<string, unknown>) => asWritten(redact(fields)) },
    // `redact` has serialized errors already.
    serializers: { err: (written: unknown) => written },
    mixin: () => {
      const traceId = currentTraceId();
      return traceId ? { traceId } : {};
    },
  };
  if (options.destination) return pino(settings, options.destination);
  // Opened by Node, a pipe is non-blocking: a write to a full one fails and occupies no thread.
  standardOutput ??= openLogOutput(process.stdout.fd);
  const logger = pino(settings, standardOutput);
  standardOutput.onRecovery = (lines) => logger.warn({ lines }, 'log lines dropped');
  return logger;
}

function asWritten(fields: Record<string, unknown>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    written[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  }
  return written;
}

/** Log lines that standard output did not accept, and no longer can. */
export function droppedLogLines(): number {
  return standardOutput?.dropped ?? 0;
}
