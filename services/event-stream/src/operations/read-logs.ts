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
const concurrencyMax = 8;
/** Bells come with every event; who is due by time is looked for this often. */
const turnEveryMs = 1_000;
/** Beyond it a Project waits for its turn among all. */
const notedMax = 10_000;

export function createLogReading(deps: LogReadingDeps): LogReading {
  const { endpoints, clock, readEveryMs, wake } = deps;
  const noted = new Set<ProjectId>();
  let nextTurnMs = 0;

  /** A Project whose reading fails is not noted again: it comes up with all others. */
  async function readNoted(stopping: AbortSignal): Promise<void> {
    const projects = [...noted].slice(0, endpointsAtOnce);
    for (const id of projects) noted.delete(id);
    await forEachLimited(projects, concurrencyMax, async (projectId) => {
      const enabled = (await endpoints.list(projectId)).filter(({ state }) => state === 'enabled');
      for (const endpoint of enabled) await prepareDeliveries(deps, endpoint, stopping);
      if (enabled.length > 0) wake();
    });
  }

  /** True when there may be more that are due. */
  async function readInTurn(stopping: AbortSignal): Promise<boolean> {
    const nowMs = clock.now();
    if (nowMs < nextTurnMs) return false;
    const due = await endpoints.takeForReading(nowMs, nowMs + readEveryMs, endpointsAtOnce);
    await forEachLimited(due, concurrencyMax, (endpoint) =>
      prepareDeliveries(deps, endpoint, stopping),
    );
    if (due.length > 0) wake();
    const more = due.length === endpointsAtOnce;
    if (!more) nextTurnMs = nowMs + Math.min(readEveryMs, turnEveryMs);
    return more;
  }

  return {
    note(projectId) {
      if (noted.size < notedMax) noted.add(projectId);
    },
    async round(stopping) {
      await readNoted(stopping);
      const more = await readInTurn(stopping);
      return more || noted.size > 0;
    },
  };
}
