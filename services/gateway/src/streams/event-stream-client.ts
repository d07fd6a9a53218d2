import type { ProjectId } from '@inventory/contracts/ids';
import {
  type AppendedHeads,
  appendedHeads,
  type LogHeads,
  type LogPage,
  logHeads,
  logPage,
} from '@inventory/contracts/internal/event-log';
import type { InternalClient } from '@inventory/http/internal-client';

/** Reads of the event-stream. Rejects with ServiceUnreachable when it does not answer. */
export interface EventStreamClient {
  /** Where the logs of up to 1,000 Projects end. */
  heads(projectIds: readonly ProjectId[]): Promise<LogHeads>;
  /** Heads of Projects with entries appended since a time; null starts reading now. */
  appendedHeads(since: string | null): Promise<AppendedHeads>;
  /** Events after a position, ascending. */
  page(projectId: ProjectId, after: number, limit: number): Promise<LogPage>;
}

export function createEventStreamClient(client: InternalClient): EventStreamClient {
  return {
    heads: (projectIds) =>
      client.json(logHeads, {
        method: 'POST',
        path: '/logs/heads',
        body: { project_ids: projectIds },
      }),
    appendedHeads: (since) =>
      client.json(appendedHeads, {
        method: 'GET',
        path: '/logs/appended',
        ...(since === null ? {} : { query: { since } }),
      }),
    page: (projectId, after, limit) =>
      client.json(logPage, {
        method: 'GET',
        path: `/projects/${projectId}/log`,
        query: { after, limit },
      }),
  };
}
