import type { AccountId } from '@inventory/contracts/ids';
import { monotonicNow } from '@inventory/runtime/clock';
import type { StreamSession } from './stream-session.ts';

/** The open streams of this replica. */
export interface EventStreams {
  /** Manages the stream until the returned function is called. */
  add(session: StreamSession): () => void;
  /** Called once a second. */
  tick(nowMs: number): void;
  /** By digest of their secret. */
  readonly bySecret: ReadonlyMap<string, ReadonlySet<StreamSession>>;
  /** Digests of the secrets of an account with open streams. */
  secretsOf(accountId: AccountId): Iterable<string>;
  readonly size: number;
  /** True from the start of the drain: no stream may be added. */
  readonly draining: boolean;
  /** Closes all streams, spread over this time; then cuts the connections that remain. */
  drain(drainMs: number): Promise<void>;
}

const cutAfterMs = 3_000;

export function createEventStreams(): EventStreams {
  const open = new Set<StreamSession>();
  const bySecret = new Map<string, Set<StreamSession>>();
  /** A change of an account reads its own streams only. */
  const secrets = new Map<AccountId, Set<string>>();
  let draining = false;

  function remove(session: StreamSession): void {
    if (!open.delete(session)) return;
    const { accountId, secretDigest } = session;
    removeFrom(bySecret, secretDigest, session);
    if (!bySecret.has(secretDigest)) removeFrom(secrets, accountId, secretDigest);
  }

  return {
    add(session) {
      open.add(session);
      addTo(bySecret, session.secretDigest, session);
      addTo(secrets, session.accountId, session.secretDigest);
      // Admitted before the drain began: it is closed after its checkpoint.
      if (draining) setImmediate(() => session.close('draining'));
      return () => remove(session);
    },
    tick(nowMs) {
      for (const session of open) session.tick(nowMs);
    },
    bySecret,
    secretsOf: (accountId) => secrets.get(accountId) ?? [],
    get size() {
      return open.size;
    },
    get draining() {
      return draining;
    },
    async drain(drainMs) {
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

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set?.delete(value) && set.size === 0) sets.delete(key);
}
