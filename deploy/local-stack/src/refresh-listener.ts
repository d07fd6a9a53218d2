import type { RefreshCompletedEvent } from '@inventory/client/event-records';
import type { InventoryClient } from '@inventory/client/inventory-client';
import { pause, withDeadline } from '@inventory/runtime/wait';

export interface ReceivedEvent {
  readonly event: RefreshCompletedEvent;
  readonly cursor: string;
}

export interface RefreshListener {
  /** Resolves once the stream is open: it reports every refresh that ends from now on. */
  opened(timeoutMs: number): Promise<void>;
  /** The event of a refresh, also one received before this call; null after the timeout. */
  completionOf(refreshId: string, timeoutMs: number): Promise<ReceivedEvent | null>;
  stop(): Promise<void>;
}

/** Reads a Project's event stream. The error that ends the stream rejects the waiting calls. */
export function listenForRefreshes(
  client: Pick<InventoryClient, 'followEvents'>,
  projectId: string,
  signal: AbortSignal,
): RefreshListener {
  const stopped = new AbortController();
  const waiting = new Map<string, PromiseWithResolvers<ReceivedEvent>>();
  const open = Promise.withResolvers<void>();
  const eventOf = (refreshId: string): PromiseWithResolvers<ReceivedEvent> => {
    const known = waiting.get(refreshId) ?? Promise.withResolvers<ReceivedEvent>();
    waiting.set(refreshId, known);
    return known;
  };
  const reading = client.followEvents(projectId, {
    signal: AbortSignal.any([signal, stopped.signal]),
    onEvent: (event, cursor) => {
      if (event.type !== 'inventory.refresh.completed') return;
      eventOf(event.data.refresh_id).resolve({ event, cursor });
    },
    // First called for the checkpoint.
    onProgress: () => open.resolve(),
  });
  reading.catch(() => {});
  return {
    opened: (timeoutMs) =>
      withDeadline(Promise.race([open.promise, reading]), timeoutMs, 'opening the event stream'),
    async completionOf(refreshId, timeoutMs) {
      const done = new AbortController();
      const timeout = pause(timeoutMs, AbortSignal.any([done.signal, signal])).then(() => null);
      try {
        return await Promise.race([eventOf(refreshId).promise, reading, timeout]);
      } finally {
        done.abort();
      }
    },
    async stop() {
      stopped.abort();
      await reading.catch(() => {});
    },
  };
}
