import type { PlacedEvent } from './event-records.ts';
import type { FollowEventsOptions } from './options.ts';

/** How far a reader came: its place, and what it need not apply again. */
export interface AppliedEvents {
  /** Where to go on from; null before the first checkpoint. */
  readonly cursor: string | null;
  /** Applies the event unless it was applied, then moves on. */
  apply(placed: PlacedEvent): Promise<void>;
  moveTo(cursor: string): Promise<void>;
}

/** After a gap events may come again from far back; beyond so many they are applied again. */
const rememberedMax = 10_000;

export function createAppliedEvents(
  { onEvent, onProgress }: Pick<FollowEventsOptions, 'onEvent' | 'onProgress'>,
  start: string | null,
): AppliedEvents {
  const remembered = new Set<string>();
  let place = start;

  function remember(id: string): void {
    remembered.add(id);
    if (remembered.size <= rememberedMax) return;
    const [oldest = id] = remembered;
    remembered.delete(oldest);
  }

  async function moveTo(cursor: string): Promise<void> {
    // A crash between the two callbacks makes the event come again; the other order would lose it.
    place = cursor;
    await onProgress?.(cursor);
  }

  return {
    get cursor() {
      return place;
    },
    moveTo,
    async apply({ event, cursor }) {
      if (!remembered.has(event.id)) await onEvent(event, cursor);
      remember(event.id);
      await moveTo(cursor);
    },
  };
}
