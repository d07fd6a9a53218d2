import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import { createMemoryLeases } from '@inventory/testkit/memory-leases';
import type { SeatStore, StoredSeat } from '../../src/streams/stream-slot-store.ts';
import { work } from '../../src/work.ts';

/** The store of seats in memory. `step` is awaited before and after each atomic operation. */
export function createMemorySeats(
  clock: Clock,
  step: () => Promise<void>,
  onChange: () => void = () => {},
) {
  const projects = new Map<ProjectId, StoredSeat[]>();
  const leases = createMemoryLeases(clock, work.seats.leaseMs);
  const isExpired = (replica: string) =>
    (leases.documents.get(replica)?.lease?.until.getTime() ?? 0) <= clock.now();

  async function atomically<Result>(operation: () => Result | Promise<Result>): Promise<Result> {
    await step();
    const result = await operation();
    onChange();
    await step();
    return result;
  }

  const seatsOf = (projectId: ProjectId) => projects.get(projectId) ?? [];
  const store: SeatStore = {
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
    add: (projectId, seat, seatsMax) =>
      atomically(() => {
        const taken = seatsOf(projectId);
        if (taken.length >= seatsMax) return false;
        projects.set(projectId, [...taken, seat]);
        return true;
      }),
    list: (projectId) => atomically(() => [...seatsOf(projectId)]),
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
  const validSeatsOf = (projectId: ProjectId) =>
    seatsOf(projectId).filter(({ replica }) => !isExpired(replica));
  return { store, seatsOf, validSeatsOf };
}
