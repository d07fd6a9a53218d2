import { monotonicNow } from '@inventory/runtime/clock';
import type { StreamSession } from './stream-session.ts';

const cutAfterMs = 3_000;

export type EventStreams = ReturnType<typeof createEventStreams>;

/** The open streams of this replica. */
export function createEventStreams() {
  const open = new Set<StreamSession>();
  let draining = false;

  return {
    /** Manages the stream until the returned function is called. */
    add(session: StreamSession): () => void {
      open.add(session);
      // Admitted before the drain began: it is closed after its checkpoint.
      if (draining) setImmediate(() => session.close('draining'));
      return () => void open.delete(session);
    },
    /** Called once a second. */
    tick(): void {
      for (const session of open) session.tick();
    },
    get size(): number {
      return open.size;
    },
    /** True from the start of the drain: no stream may be added. */
    get draining(): boolean {
      return draining;
    },
    /** Closes all streams, spread over this time; then cuts the connections that remain. */
    async drain(drainMs: number): Promise<void> {
      draining = true;
      const going = [...open];
      const startMs = monotonicNow();
      for (const [index, session] of going.entries()) {
        await until(startMs + (drainMs * index) / going.length);
        session.close('draining');
      }
      if (open.size > 0) await until(monotonicNow() + cutAfterMs);
      for (const session of open) session.cut();
    },
  };
}

function until(atMs: number): Promise<void> {
  const leftMs = atMs - monotonicNow();
  return leftMs <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, leftMs));
}
