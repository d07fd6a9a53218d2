import type { Clock } from '@inventory/runtime/clock';
import type { Lease, Leases, WithLease } from '@inventory/work/lease';

/** Leases in memory, which follow the same rules as those in a collection. `where` is not read. */
export interface MemoryLeases<Stored extends WithLease> extends Leases<Stored> {
  readonly documents: Map<string, Stored>;
}

/** `clock` is that of the store. */
export function createMemoryLeases<Stored extends WithLease = WithLease>(
  clock: Clock,
  leaseMs: number,
  released: 'deleted' | 'kept' = 'deleted',
): MemoryLeases<Stored> {
  const documents = new Map<string, Stored>();
  const lease = (owner: string) => ({ owner, until: new Date(clock.now() + leaseMs) });
  const isHeld = ({ id, owner }: Lease) => documents.get(id)?.lease?.owner === owner;
  const write = ({ id, owner }: Lease, set: object = {}) => {
    const written = { _id: id, ...documents.get(id), ...set, lease: lease(owner) } as Stored;
    documents.set(id, written);
    return written;
  };
  return {
    documents,
    async acquire(wanted, { set } = {}) {
      const untilMs = documents.get(wanted.id)?.lease?.until.getTime() ?? 0;
      return untilMs <= clock.now() || isHeld(wanted) ? write(wanted, set) : null;
    },
    seize: async (wanted) => write(wanted),
    async renew(held, set) {
      if (!isHeld(held)) return false;
      write(held, set);
      return true;
    },
    async release(held) {
      const document = documents.get(held.id);
      if (!document || !isHeld(held)) return;
      documents.delete(held.id);
      if (released === 'kept') {
        const { lease: _lease, ...kept } = document;
        documents.set(held.id, kept as Stored);
      }
    },
  };
}
