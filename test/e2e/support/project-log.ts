import { refreshCompletedEvent } from '@inventory/contracts/http/project-event';
import { isoTime } from '@inventory/runtime/clock';
import type { StoryStack } from './test-stack.ts';

export interface LoggedEvent {
  readonly position: number;
  readonly eventId: string;
  readonly refreshId: string;
  readonly outcome: string;
  readonly occurredAt: string;
  readonly projectId: string;
}

interface StoredEntry {
  readonly position: number;
  readonly event: { readonly id: string; readonly json: string };
}

const refreshEvent = refreshCompletedEvent.transform(({ occurredAtMs, projectId, data }) => ({
  refreshId: data.refreshId,
  outcome: data.outcome,
  occurredAt: isoTime(occurredAtMs),
  projectId,
}));

/** The refreshes in a Project's log, oldest first. */
export async function readProjectLog(stack: StoryStack, projectId: string): Promise<LoggedEvent[]> {
  const records = await stack.recordsOf('event-stream');
  const entries = await records
    .collection<StoredEntry>('projectLog')
    .find({ projectId } as object)
    .sort({ position: 1 })
    .toArray();
  return entries.map(({ position, event }) => ({
    ...refreshEvent.parse(JSON.parse(event.json)),
    ...{ position, eventId: event.id },
  }));
}
