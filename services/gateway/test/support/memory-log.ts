import type { ProjectId } from '@inventory/contracts/ids';
import { type EventText, type LogBatch, writeEvent } from '@inventory/contracts/internal/event-log';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import type { EventStreamClient } from '../../src/streams/event-stream-client.ts';

const appendedAtMs = Date.parse('2026-11-21T10:00:00.000Z');

/** The log of one Project in memory, as the event-stream serves it. */
export function createMemoryLog(projectId: ProjectId) {
  const events: EventText[] = [];
  let epoch = 1;
  let earliest = 1;
  let failures = 0;
  const page = (after: number, limit: number): LogBatch => ({
    logEpoch: epoch,
    headPosition: events.length,
    earliestPosition: earliest,
    earliestAtMs: events.length === 0 ? null : appendedAtMs,
    items: events.slice(Math.max(after, earliest - 1), after + limit).map((event, index) => ({
      position: Math.max(after, earliest - 1) + index + 1,
      appendedAtMs,
      event,
    })),
  });
  async function respond<Result>(of: () => Result): Promise<Result> {
    await nextRound();
    if (failures > 0) {
      failures -= 1;
      throw new Error('the event-stream does not answer');
    }
    return of();
  }
  const client: EventStreamClient = {
    readHeads: (ids) =>
      respond(() => ({
        logEpoch: epoch,
        heads: ids.map((id) => ({ projectId: id, position: events.length })),
      })),
    readAppendedHeads: (sinceMs) =>
      respond(() => ({
        logEpoch: epoch,
        heads:
          events.length > (sinceMs ?? Number.NaN) ? [{ projectId, position: events.length }] : [],
        // The first read overlaps everything before it.
        nextSinceMs: sinceMs === null ? 0 : events.length,
        hasMore: false,
      })),
    readLogBatch: (_projectId, after, limit) => respond(() => page(after, limit)),
  };
  return {
    client,
    events,
    append(type: string = 'inventory.refresh.completed'): number {
      const refreshId = newRefreshId();
      return events.push({
        ...writeEvent({
          id: `evt_${refreshId}`,
          version: 1,
          type: 'inventory.refresh.completed',
          occurredAtMs: Date.UTC(2026, 10, 21, 10),
          projectId,
          data: {
            ...{ refreshId, state: 'completed', outcome: 'private' },
            ...{ scope: newScope(), revisionId: null, watchId: null },
          },
          links: { refresh: `/v2/platform/inventory-refreshes/${refreshId}` },
        }),
        // Its text stays that of a refresh.
        type,
      });
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
