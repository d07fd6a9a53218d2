import type { ProjectId } from '@inventory/contracts/ids';
import type { StreamPlace, StreamPlaceStore } from '../../src/streams/stream-place-store.ts';
import type { StreamReplicaStore } from '../../src/streams/stream-replica-store.ts';

/** The stores of places in memory. `step` is awaited before and after each atomic operation. */
export function createMemoryPlaces(step: () => Promise<void>, onChange: () => void = () => {}) {
  const projects = new Map<ProjectId, StreamPlace[]>();
  const running = new Map<string, number>();

  async function atomically<Result>(operation: () => Result): Promise<Result> {
    await step();
    const result = operation();
    onChange();
    await step();
    return result;
  }

  const placesOf = (projectId: ProjectId) => projects.get(projectId) ?? [];
  const places: StreamPlaceStore = {
    add: (projectId, place, placesMax) =>
      atomically(() => {
        const taken = placesOf(projectId);
        if (taken.length >= placesMax) return false;
        projects.set(projectId, [...taken, place]);
        return true;
      }),
    list: (projectId) => atomically(() => [...placesOf(projectId)]),
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
  const replicas: StreamReplicaStore = {
    register: (replica) => atomically(() => void running.set(replica, 0)),
    renew: (replica) =>
      atomically(() => {
        const renewals = running.get(replica);
        if (renewals === undefined) return false;
        running.set(replica, renewals + 1);
        return true;
      }),
    list: () =>
      atomically(() => [...running].map(([replica, renewals]) => ({ replica, renewals }))),
    remove: (replica, renewals) =>
      atomically(() => {
        if (renewals === undefined || running.get(replica) === renewals) {
          running.delete(replica);
        }
      }),
  };
  return { places, replicas, placesOf, isPresent: (replica: string) => running.has(replica) };
}
