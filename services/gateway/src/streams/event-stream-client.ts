import type { ProjectId } from '@inventory/contracts/ids';
import { logApi } from '@inventory/contracts/internal/event-log';
import type { InternalClient } from '@inventory/http/internal-client';
import { isoTime } from '@inventory/runtime/clock';

/** Reads of the event-stream. Rejects with ServiceUnreachable when it is unavailable. */
export type EventStreamClient = ReturnType<typeof createEventStreamClient>;

export function createEventStreamClient({ call }: InternalClient) {
  return {
    /** Head positions of the logs of up to 1,000 Projects. */
    readHeads: (projectIds: readonly ProjectId[]) =>
      call(logApi.readHeads, { body: { projectIds } }),
    /** Heads of Projects with entries appended since a time; null starts reading now. */
    readAppendedHeads: (sinceMs: number | null) =>
      call(logApi.readAppendedHeads, {
        query: { since: sinceMs === null ? undefined : isoTime(sinceMs) },
      }),
    /** Events after a position, ascending. */
    readLogBatch: (project_id: ProjectId, after: number, limit: number) =>
      call(logApi.readLogBatch, { path: { project_id }, query: { after, limit } }),
  };
}
