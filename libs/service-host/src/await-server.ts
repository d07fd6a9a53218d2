import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { MongoServerSelectionError } from 'mongodb';

export interface AwaitServerOptions {
  /** For the log. */
  readonly server: string;
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Ends the wait. */
  readonly stopping: AbortSignal;
}

/** The server responds, and does not serve clients yet. */
export class ServerStarting extends Error {
  override name = 'ServerStarting';
}

/** Of connections to a server that is starting; its name may not resolve before it is ready. */
const absentCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);
const retryMs = 500;

/**
 * Opens a connection to a server that may be starting: on a first install services start beside
 * their servers. Rejects as `open` does: at once with an error that no wait mends, such as a wrong
 * login or certificate, else after `timeoutMs`.
 */
export async function openWhenReachable<Value>(
  open: () => Promise<Value>,
  { server, timeoutMs, logger, stopping }: AwaitServerOptions,
): Promise<Value> {
  const startMs = monotonicNow();
  for (let tries = 1; ; tries += 1) {
    try {
      return await open();
    } catch (error) {
      const isOver = stopping.aborted || elapsedSince(startMs) >= timeoutMs;
      if (isOver || !isAbsent(error)) throw error;
      if (tries === 1) logger.warn({ err: error, server, timeoutMs }, 'waiting for a server');
    }
    await pause(retryMs, stopping);
  }
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return absentCodes.has(code);
  // A replica set without a primary yet.
  return error instanceof ServerStarting || error instanceof MongoServerSelectionError;
}

/** The first system error code of an error and its causes. */
function codeOf(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('code' in one && typeof one.code === 'string') return one.code;
  }
  return undefined;
}
