import { guardMethods } from '@inventory/runtime/guard-methods';

/** The used part of the driver's pool. */
interface DriverPool {
  readonly totalConnectionCount: number;
  readonly options: { readonly minPoolSize: number };
  readonly minPoolSizeTimer: NodeJS.Timeout | undefined;
}

interface PoolClass {
  readonly prototype: { ensureMinPoolSize(this: DriverPool): void };
}

/**
 * The driver (7.9.0) looks ten times a second whether a pool has its least number of connections, and
 * takes no setting for it: a third of the wakes of an idle process. Here it looks until the pool has
 * them, and again after the pool was cleared. A connection that has ended is dropped when it would be
 * used.
 */
export function guardPools(): void {
  const poolModule: unknown = require('mongodb/lib/cmap/connection_pool');
  const { ConnectionPool } = poolModule as { readonly ConnectionPool: PoolClass };
  guardMethods('mongodb', ConnectionPool.prototype, ({ ensureMinPoolSize }) => ({
    ensureMinPoolSize() {
      ensureMinPoolSize.call(this);
      if (this.totalConnectionCount >= this.options.minPoolSize) {
        clearTimeout(this.minPoolSizeTimer);
      }
    },
  }));
}
