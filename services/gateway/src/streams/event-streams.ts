import type { AccountId } from '@inventory/contracts/ids';
import { monotonicNow } from '@inventory/runtime/clock';
import type { StreamSession } from './stream-session.ts';

const cutAfterMs = 3_000;

export type EventStreams = ReturnType<typeof createEventStreams>;

/** The open streams of this replica. */
export function createEventStreams() {
  const open = new Set<StreamSession>();
  const bySecret = new Map<string, Set<StreamSession>>();
  let draining = false;

  function remove(session: StreamSession): void {
    if (!open.delete(session)) return;
    const { secretDigest } = session;
    const others = bySecret.get(secretDigest);
    if (others?.delete(session) && others.size === 0) bySecret.delete(secretDigest);
  }

  return {
    /** Manages the stream until the returned function is called. */
    add(session: StreamSession): () => void {
      open.add(session);
      const { secretDigest } = session;
      bySecret.set(secretDigest, (bySecret.get(secretDigest) ?? new Set()).add(session));
      // Admitted before the drain began: it is closed after its checkpoint.
      if (draining) setImmediate(() => session.close('draining'));
      return () => remove(session);
    },
    /** Called once a second. */
    tick(nowMs: number): void {
      for (const session of open) session.tick(nowMs);
    },
    /** By digest of their secret. */
    bySecret: bySecret as ReadonlyMap<string, ReadonlySet<StreamSession>>,
    /** Digests of the secrets of an account with open streams. */
    secretsOf: (accountId: AccountId): Set<string> =>
      new Set(
        [...open].filter((one) => one.accountId === accountId).map((one) => one.secretDigest),
      ),
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
