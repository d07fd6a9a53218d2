import type { PlacedEvent } from './event-records.ts';
import type { FollowEventsOptions } from './options.ts';

/** The reader's position, and the events that it has applied. */
export interface AppliedEvents {
  /** Where to continue; null before the first checkpoint. */
  readonly cursor: string | null;
  /** Applies the event unless it was applied before, then moves to its cursor. */
  apply(placed: PlacedEvent): Promise<void>;
  moveTo(cursor: string): Promise<void>;
}

/** After a gap events may be redelivered; beyond this number they are applied again. */
const rememberedMax = 10_000;

export function createAppliedEvents(
  { onEvent, onProgress }: Pick<FollowEventsOptions, 'onEvent' | 'onProgress'>,
  start: string | null,
): AppliedEvents {
  const remembered = new Set<string>();
  let current = start;

  function remember(id: string): void {
    remembered.add(id);
    if (remembered.size <= rememberedMax) return;
    const [oldest = id] = remembered;
    remembered.delete(oldest);
  }

  async function moveTo(cursor: string): Promise<void> {
    // After a crash between the two callbacks the event is redelivered; the other order would lose it.
    current = cursor;
    await onProgress?.(cursor);
  }

  return {
    get cursor() {
      return current;
    },
    moveTo,
    async apply({ event, cursor }) {
      if (!remembered.has(event.id)) await onEvent(event, cursor);
      remember(event.id);
      await moveTo(cursor);
    },
  };
}
