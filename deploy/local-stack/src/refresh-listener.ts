import type { RefreshCompletedEvent } from '@inventory/client/event-records';
import type { InventoryClient } from '@inventory/client/inventory-client';
import { pause, withDeadline } from '@inventory/runtime/wait';

/** An event as the stream gave it. */
export interface HeardEvent {
  readonly event: RefreshCompletedEvent;
  readonly cursor: string;
}

export interface RefreshListener {
  /** Resolves once the stream is open: whatever ends from now on is heard. */
  opened(patienceMs: number): Promise<void>;
  /** The event of a refresh, also when it came before it was asked for; null when patience ends. */
  heard(refreshId: string, patienceMs: number): Promise<HeardEvent | null>;
  stop(): Promise<void>;
}

/** Reads a Project's stream. What ends the stream for good is told by whoever waits. */
export function listenForRefreshes(
  client: Pick<InventoryClient, 'followEvents'>,
  projectId: string,
  signal: AbortSignal,
): RefreshListener {
  const stopped = new AbortController();
  const waiting = new Map<string, PromiseWithResolvers<HeardEvent>>();
  const open = Promise.withResolvers<void>();
  const eventOf = (refreshId: string): PromiseWithResolvers<HeardEvent> => {
    const known = waiting.get(refreshId) ?? Promise.withResolvers<HeardEvent>();
    waiting.set(refreshId, known);
    return known;
  };
  const reading = client.followEvents(projectId, {
    signal: AbortSignal.any([signal, stopped.signal]),
    onEvent: (event, cursor) => {
      if (event.type !== 'inventory.refresh.completed') return;
      eventOf(event.data.refresh_id).resolve({ event, cursor });
    },
    // The first place is the checkpoint's.
    onProgress: () => open.resolve(),
  });
  reading.catch(() => {});
  return {
    opened: (patienceMs) =>
      withDeadline(Promise.race([open.promise, reading]), patienceMs, 'opening the event stream'),
    async heard(refreshId, patienceMs) {
      const late = new AbortController();
      const patience = pause(patienceMs, AbortSignal.any([late.signal, signal])).then(() => null);
      try {
        return await Promise.race([eventOf(refreshId).promise, reading, patience]);
      } finally {
        late.abort();
      }
    },
    async stop() {
      stopped.abort();
      await reading.catch(() => {});
    },
  };
}
