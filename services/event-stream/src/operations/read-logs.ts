import type { ProjectId } from '@inventory/contracts/ids';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import { type PrepareDeps, prepareDeliveries } from './prepare-deliveries.ts';

export interface LogReadingDeps extends PrepareDeps {
  readonly endpoints: Pick<EndpointStore, 'list' | 'takeForReading' | 'advance'>;
  /** How often every endpoint's log is looked at, bell or not. */
  readonly readEveryMs: number;
  /** Deliveries may have been made. */
  readonly wake: () => void;
}

/** Looks where logs have grown: at once where this replica appended, everywhere now and then. */
export interface LogReading {
  note(projectId: ProjectId): void;
  /** True when there may be more to look at. */
  round(stopping: AbortSignal): Promise<boolean>;
}

const endpointsAtOnce = 100;
const lanes = 8;
/** Beyond it a Project waits for its turn among all. */
const notedMax = 10_000;

export function createLogReading(deps: LogReadingDeps): LogReading {
  const { endpoints, clock, readEveryMs, wake } = deps;
  const noted = new Set<ProjectId>();

  /** A Project whose reading fails is not noted again: it comes up with all others. */
  async function readNoted(stopping: AbortSignal): Promise<number> {
    const projects = [...noted].slice(0, endpointsAtOnce);
    for (const id of projects) noted.delete(id);
    await forEachLimited(projects, lanes, async (projectId) => {
      for (const endpoint of await endpoints.list(projectId)) {
        if (endpoint.state === 'enabled') await prepareDeliveries(deps, endpoint, stopping);
      }
      wake();
    });
    return projects.length;
  }

  async function readInTurn(stopping: AbortSignal): Promise<number> {
    const nowMs = clock.now();
    const due = await endpoints.takeForReading(nowMs, nowMs + readEveryMs, endpointsAtOnce);
    await forEachLimited(due, lanes, (endpoint) => prepareDeliveries(deps, endpoint, stopping));
    if (due.length > 0) wake();
    return due.length;
  }

  return {
    note(projectId) {
      if (noted.size < notedMax) noted.add(projectId);
    },
    async round(stopping) {
      const read = (await readNoted(stopping)) + (await readInTurn(stopping));
      return read > 0 || noted.size > 0;
    },
  };
}
