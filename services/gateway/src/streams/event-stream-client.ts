import type { ProjectId } from '@inventory/contracts/ids';
import {
  type AppendedHeads,
  appendedHeads,
  type LogBatch,
  type LogHeads,
  logBatch,
  logHeads,
  logPaths,
} from '@inventory/contracts/internal/event-log';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';

/** Reads of the event-stream. Rejects with ServiceUnreachable when it is unavailable. */
export interface EventStreamClient {
  /** Head positions of the logs of up to 1,000 Projects. */
  readHeads(projectIds: readonly ProjectId[]): Promise<LogHeads>;
  /** Heads of Projects with entries appended since a time; null starts reading now. */
  readAppendedHeads(since: string | null): Promise<AppendedHeads>;
  /** Events after a position, ascending. */
  readLogBatch(projectId: ProjectId, after: number, limit: number): Promise<LogBatch>;
}

export function createEventStreamClient(client: InternalClient): EventStreamClient {
  return {
    readHeads: (projectIds) =>
      client.json(logHeads, {
        method: 'POST',
        path: logPaths.heads,
        body: { project_ids: projectIds },
      }),
    readAppendedHeads: (since) =>
      client.json(appendedHeads, {
        method: 'GET',
        path: logPaths.appended,
        ...(since === null ? {} : { query: { since } }),
      }),
    readLogBatch: (projectId, after, limit) =>
      client.json(logBatch, {
        method: 'GET',
        path: pathOf(logPaths.log, { project_id: projectId }),
        query: { after, limit },
      }),
  };
}
