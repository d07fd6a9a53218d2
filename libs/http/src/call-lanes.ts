import { createSemaphore } from '@inventory/runtime/semaphore';
import { Agent } from 'undici';

/** Calls to a service that share connections: they never wait for those of another lane. */
export interface Lane {
  readonly connections: number;
  /** Calls that wait for a connection; further ones are refused at once. */
  readonly waitingMax: number;
}

/** Calls to which a healthy service responds within milliseconds: the default of a call. */
export const shortCalls: Lane = { connections: 64, waitingMax: 1_000 };
/** Calls that take seconds of work, or carry large bodies. */
export const longCalls: Lane = { connections: 64, waitingMax: 1_000 };

export type OpenLane = ReturnType<typeof openLane>;

export function openLane({ connections, waitingMax }: Lane, connect: { readonly timeout: number }) {
  const agent = new Agent({ connections, pipelining: 1, keepAliveTimeout: 30_000, connect });
  const fresh = new Agent({ connections, pipelining: 0, connect });
  const slots = createSemaphore(connections, waitingMax);
  return {
    /**
     * Resolves to the release of a call's slot. undici ends a request that was aborted only once it
     * has a connection: no more requests enter it than there are connections, and a slot is released
     * with its request, so that one that waits for its slot can leave at any time.
     */
    acquireSlot: slots.acquire,
    agent,
    /** Every request on a connection of its own: other idle ones may be just as dead. */
    fresh,
    async close(): Promise<void> {
      await Promise.all([agent.close(), fresh.close()]);
    },
  };
}
