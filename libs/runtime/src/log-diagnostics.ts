import { type DiagLogFunction, diag } from '@opentelemetry/api';
import { diagLogLevelFromString } from '@opentelemetry/core';
import { createLogger } from './logger.ts';

export interface Diagnostics {
  readonly service: string;
  /** Least severity that is written, in the words of `OTEL_LOG_LEVEL`. */
  readonly level: string;
}

/** Writes what the telemetry libraries report as log lines, where they themselves write plain text. */
export function logDiagnostics({ service, level }: Diagnostics): void {
  const logger = createLogger({ service, level: 'debug' });
  const written =
    (write: (fields: object, message: string) => void): DiagLogFunction =>
    (message, ...details) =>
      write(details.length === 0 ? {} : { details: details.map(String) }, message);
  const debug = written((fields, message) => logger.debug(fields, message));
  const lines = {
    error: written((fields, message) => logger.warn(fields, message)),
    warn: written((fields, message) => logger.warn(fields, message)),
    info: debug,
    debug,
    verbose: debug,
  };
  const logLevel = diagLogLevelFromString(level);
  diag.setLogger(lines, {
    suppressOverrideMessage: true,
    ...(logLevel === undefined ? {} : { logLevel }),
  });
}
