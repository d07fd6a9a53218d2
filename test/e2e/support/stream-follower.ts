import type { ProjectEvent } from '@inventory/client/event-records';
import { createInventoryClient } from '@inventory/client/inventory-client';

export interface AppliedEvent {
  readonly event: ProjectEvent;
  readonly atMs: number;
}

/** A customer's backend that reads one Project's stream with the client library. */
export interface StreamFollower {
  readonly projectId: string;
  /** What its callback was given, repetitions included. */
  readonly applied: readonly AppliedEvent[];
  /** Whether it has a position to resume from. */
  readonly hasPosition: () => boolean;
  /** What ended the reading before it was stopped. */
  readonly failure: () => unknown;
  readonly interruptions: () => number;
  stop(): Promise<void>;
}

export interface FollowerOptions {
  readonly url: string;
  readonly projectId: string;
  readonly apiKey: string;
  readonly lastEventId?: string;
  readonly onGap?: () => void;
  /** Of another build; this one's when absent. */
  readonly library?: { readonly createInventoryClient: typeof createInventoryClient };
}

export function startFollower(options: FollowerOptions): StreamFollower {
  const { url: baseUrl, apiKey, projectId, lastEventId, onGap } = options;
  const library = options.library ?? { createInventoryClient };
  const stopped = new AbortController();
  const applied: AppliedEvent[] = [];
  let hasPosition = false;
  let interruptions = 0;
  let failure: unknown;
  const reading = library
    .createInventoryClient({ baseUrl, apiKey })
    .followEvents(projectId, {
      signal: stopped.signal,
      lastEventId,
      onEvent: (event) => void applied.push({ event, atMs: Date.now() }),
      onProgress: () => {
        hasPosition = true;
      },
      onInterruption: () => {
        interruptions += 1;
      },
      ...(onGap ? { onGap } : {}),
    })
    .catch((error: unknown) => {
      if (!stopped.signal.aborted) failure = error;
    });
  return {
    projectId,
    applied,
    hasPosition: () => hasPosition,
    failure: () => failure,
    interruptions: () => interruptions,
    async stop() {
      stopped.abort();
      await reading;
    },
  };
}
