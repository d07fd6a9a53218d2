import { invariant } from '@inventory/runtime/bug';
import { guardMethods } from '@inventory/runtime/guard-methods';
import { MongoError, MongoNetworkError } from 'mongodb';

/** What is used of the driver's connection, which is an emitter of `close`. */
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
 * Between the end of a socket and its `close` the driver (7.9.0) still takes its connection for a
 * good one. A command that is written in that moment waits for the socket to drain, which it never
 * will, past every timeout there is: for ever. Here the connection's end ends the write too. What
 * the socket itself says of a failed write becomes the driver's network error, as everywhere else
 * in it: a command that may be tried again is.
 */
export function guardWrites(): void {
  const connectionModule: unknown = require('mongodb/lib/cmap/connection');
  const { Connection } = connectionModule as { readonly Connection: ConnectionClass };
  guardMethods('mongodb', Connection.prototype, ({ writeCommand }) => ({
    async writeCommand(...command) {
      const closed = Promise.withResolvers<never>();
      const onClose = () => {
        invariant(this.error !== null, 'a connection says why it closed');
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
