import type { ProjectId } from '@inventory/contracts/ids';
import {
  appendedHeads,
  logBatch,
  logHeads,
  logPaths,
} from '@inventory/contracts/internal/event-log';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

export type EventStreamClient = ReturnType<typeof createEventStreamClient>;

/** Reads of the event-stream. Rejects with ServiceUnreachable when it is unavailable. */
export function createEventStreamClient(client: InternalClient) {
  return {
    /** Head positions of the logs of up to 1,000 Projects. */
    readHeads: (projectIds: readonly ProjectId[]) =>
      client.json(logHeads, {
        method: 'POST',
        path: logPaths.heads,
        body: { project_ids: projectIds },
      }),
    /** Heads of Projects with entries appended since a time; null starts reading now. */
    readAppendedHeads: (since: string | null) =>
      client.json(appendedHeads, {
        method: 'GET',
        path: logPaths.appended,
        ...(since === null ? {} : { query: { since } }),
      }),
    /** Events after a position, ascending. */
    readLogBatch: (projectId: ProjectId, after: number, limit: number) =>
      client.json(logBatch, {
        method: 'GET',
        path: pathOf(logPaths.log, { project_id: projectId }),
        query: { after, limit },
      }),
  };
}
