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
  readonly eventId: string;
  readonly event: LoggedEvent;
}

/** A Project's log, oldest first. */
export async function readProjectLog(stack: StoryStack, projectId: string): Promise<LoggedEvent[]> {
  const records = await stack.recordsOf('event-stream');
  const entries = await records
    .collection<StoredEntry>('projectLog')
    .find({ projectId } as object)
    .sort({ position: 1 })
    .toArray();
  return entries.map(({ position, eventId, event }) => ({ ...event, position, eventId }));
}
