import type { ProjectId } from '@inventory/contracts/ids';
import { logApi } from '@inventory/contracts/internal/event-log';
import type { InternalClient } from '@inventory/http/internal-client';

/** Reads of the event-stream. Rejects with ServiceUnreachable when it is unavailable. */
export type EventStreamClient = ReturnType<typeof createEventStreamClient>;

export function createEventStreamClient({ call }: InternalClient) {
  return {
    /** Head positions of the logs of up to 1,000 Projects. */
    readHeads: (projectIds: readonly ProjectId[]) =>
      call(logApi.readHeads, { body: { projectIds } }),
    /** Heads of Projects with entries appended since a time; null starts reading now. */
    readAppendedHeads: (sinceMs: number | null) =>
      call(logApi.readAppendedHeads, { query: { sinceMs: sinceMs ?? undefined } }),
    /** Events after a position, ascending. */
    readLogBatch: (projectId: ProjectId, after: number, limit: number) =>
      call(logApi.readLogBatch, { path: { projectId }, query: { after, limit } }),
  };
}
