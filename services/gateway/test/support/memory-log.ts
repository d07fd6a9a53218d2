import type { ProjectId } from '@inventory/contracts/ids';
import { type EventText, type LogBatch, writeEvent } from '@inventory/contracts/internal/event-log';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import type { EventStreamClient } from '../../src/streams/event-stream-client.ts';

/** The log of one Project in memory, as the event-stream serves it. */
export function createMemoryLog(projectId: ProjectId) {
  const events: EventText[] = [];
  let epoch = 1;
  let earliest = 1;
  let failures = 0;
  const page = (after: number, limit: number): LogBatch => ({
    log_epoch: epoch,
    head_position: events.length,
    earliest_position: earliest,
    earliest_at: events.length === 0 ? null : '2026-11-21T10:00:00.000Z',
    items: events.slice(Math.max(after, earliest - 1), after + limit).map((event, index) => ({
      position: Math.max(after, earliest - 1) + index + 1,
      appended_at: '2026-11-21T10:00:00.000Z',
      event,
    })),
  });
  async function answer<Result>(of: () => Result): Promise<Result> {
    await nextRound();
    if (failures > 0) {
      failures -= 1;
      throw new Error('the event-stream does not answer');
    }
    return of();
  }
  const client: EventStreamClient = {
    readHeads: (ids) =>
      answer(() => ({
        log_epoch: epoch,
        heads: ids.map((id) => ({ project_id: id, position: events.length })),
      })),
    readAppendedHeads: (since) =>
      answer(() => ({
        log_epoch: epoch,
        heads:
          events.length > Number(since ?? 'NaN')
            ? [{ project_id: projectId, position: events.length }]
            : [],
        // The first read overlaps everything before it.
        next_since: since === null ? '0' : String(events.length),
        has_more: false,
      })),
    readLogBatch: (_projectId, after, limit) => answer(() => page(after, limit)),
  };
  return {
    client,
    events,
    append(): number {
      const refreshId = newRefreshId();
      return events.push(
        writeEvent({
          id: `evt_${refreshId}`,
          version: 1,
          type: 'inventory.refresh.completed',
          occurred_at: '2026-11-21T10:00:00.000Z',
          project_id: projectId,
          data: {
            ...{ refresh_id: refreshId, state: 'completed', outcome: 'private' },
            ...{ scope: newScope(), revision_id: null, watch_id: null },
          },
          links: { refresh: `/v2/platform/inventory-refreshes/${refreshId}` },
        }),
      );
    },
    failNext: (times: number) => {
      failures = times;
    },
    prune: (upTo: number) => {
      earliest = upTo;
    },
    restore: (toPosition: number) => {
      epoch += 1;
      events.length = toPosition;
    },
  };
}

export type MemoryLog = ReturnType<typeof createMemoryLog>;

export const nextRound = () => new Promise<void>((resolve) => setImmediate(resolve));
