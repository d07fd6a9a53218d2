import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createMemoryLeases } from '@inventory/testkit/memory-leases';
import type { SlotStore, StoredSlot } from '../../src/streams/stream-slot-store.ts';
import { work } from '../../src/work.ts';

/** The store of slots in memory. `step` is awaited before and after each atomic operation. */
export function createMemorySlots(
  clock: Clock,
  step: () => Promise<void>,
  onChange: () => void = () => {},
) {
  const projects = new Map<ProjectId, StoredSlot[]>();
  const leases = createMemoryLeases(clock, work.slots.leaseMs);
  const isExpired = (replica: string) =>
    (leases.documents.get(replica)?.lease?.until.getTime() ?? 0) <= clock.now();

  async function atomically<Result>(operation: () => Result | Promise<Result>): Promise<Result> {
    await step();
    const result = await operation();
    onChange();
    await step();
    return result;
  }

  const slotsOf = (projectId: ProjectId) => projects.get(projectId) ?? [];
  const store: SlotStore = {
    replicas: {
      acquire: (lease) => atomically(() => leases.acquire(lease)),
      renew: (lease) => atomically(() => leases.renew(lease)),
      release: (lease) => atomically(() => leases.release(lease)),
    },
    async presentOf(replicas) {
      await atomically(() => {
        for (const one of replicas) if (isExpired(one)) leases.documents.delete(one);
      });
      return atomically(() => new Set(replicas.filter((one) => leases.documents.has(one))));
    },
    add: (projectId, slot, slotsMax) =>
      atomically(() => {
        const taken = slotsOf(projectId);
        if (taken.length >= slotsMax) return false;
        projects.set(projectId, [...taken, slot]);
        return true;
      }),
    list: (projectId) => atomically(() => [...slotsOf(projectId)]),
    remove: (removed) =>
      atomically(() => {
        const ids = new Set(removed.map(({ id }) => id));
        for (const [projectId, taken] of projects) {
          projects.set(
            projectId,
            taken.filter(({ id }) => !ids.has(id)),
          );
        }
      }),
  };
  /** Those whose replica has not lost them. */
  const validSlotsOf = (projectId: ProjectId) =>
    slotsOf(projectId).filter(({ replica }) => !isExpired(replica));
  return { store, slotsOf, validSlotsOf };
}
