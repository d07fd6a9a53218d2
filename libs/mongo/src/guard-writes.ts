import { invariant } from '@inventory/runtime/bug';
import { guardMethods } from '@inventory/runtime/guard-methods';
import { MongoError, MongoNetworkError } from 'mongodb';

/** The used part of the driver's connection, which emits `close`. */
interface DriverConnection {
  readonly error: Error | null;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
}

interface ConnectionClass {
  readonly prototype: {
    writeCommand(this: DriverConnection, ...command: unknown[]): Promise<void>;
  };
}

/**
 * Between the end of a socket and its `close` event the driver (7.9.0) still uses the connection. A
 * command written then waits for the socket to drain, for ever, past every timeout. Here the end of
 * the connection ends the write too. The socket's error becomes the driver's network error, so that
 * retryable commands are retried.
 */
export function guardWrites(): void {
  const connectionModule: unknown = require('mongodb/lib/cmap/connection');
  const { Connection } = connectionModule as { readonly Connection: ConnectionClass };
  guardMethods('mongodb', Connection.prototype, ({ writeCommand }) => ({
    async writeCommand(...command) {
      const closed = Promise.withResolvers<never>();
      const onClose = () => {
        invariant(this.error !== null, 'a closed connection has an error');
        closed.reject(this.error);
      };
      this.once('close', onClose);
      try {
        await Promise.race([writeCommand.apply(this, command), closed.promise]);
      } catch (error) {
        throw isSystemError(error) ? new MongoNetworkError(error.message, { cause: error }) : error;
      } finally {
        this.off('close', onClose);
      }
    },
  }));
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && !(error instanceof MongoError);
}
