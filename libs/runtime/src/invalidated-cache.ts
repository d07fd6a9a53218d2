import type { Clock } from './clock.ts';
import { createRecentlyUsed } from './recently-used.ts';

export interface InvalidatedCacheOptions<Value> {
  /** Null where the source has nothing under the key. */
  readonly load: (key: string) => Promise<Value | null>;
  /** How long a value is fresh, from before its load. */
  readonly freshMs: number;
  readonly entriesMax: number;
  /**
   * The same for keys under which there is nothing. They have entries of their own, so that lookups
   * of unknown keys evict no value; without it they are loaded each time.
   */
  readonly missing?: { readonly freshMs: number; readonly entriesMax: number };
  readonly clock: Clock;
}

/**
 * A bounded read-through cache of what another owner may change. A change is announced by
 * `invalidate`; one whose announcement is lost is seen when the entry is no longer fresh.
 */
export interface InvalidatedCache<Value> {
  /**
   * The fresh value, else a loaded one. Concurrent calls share one load. A load that began before
   * an invalidation serves those that waited for it, and no later call. Rejects as `load` does.
   */
  get(key: string): Promise<Value | null>;
  /** True when `get` would load nothing. */
  isFresh(key: string): boolean;
  /** The last value that was loaded, fresh or not, and when its load began; until there is none any more. */
  peek(key: string): { readonly value: Value; readonly loadedAtMs: number } | undefined;
  /** No affected value is fresh any more, nor any key under which there was nothing. */
  invalidate(isAffected: (value: Value, key: string) => boolean): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly loadedAtMs: number;
  isInvalidated: boolean;
}

export function createInvalidatedCache<Value extends NonNullable<unknown>>(
  options: InvalidatedCacheOptions<Value>,
): InvalidatedCache<Value> {
  const { load, freshMs, entriesMax, clock } = options;
  const missing = options.missing ?? { freshMs: 0, entriesMax: 1 };
  const values = createRecentlyUsed<string, Entry<Value>>(entriesMax);
  const missingKeys = createRecentlyUsed<string, { loadedAtMs: number }>(missing.entriesMax);
  const loads = new Map<string, Promise<Value | null>>();
  let invalidations = 0;

  /** Also false where the clock was set back. */
  function isWithin(ms: number, { loadedAtMs }: { loadedAtMs: number }): boolean {
    const ageMs = clock.now() - loadedAtMs;
    return ageMs >= 0 && ageMs < ms;
  }

  function freshEntry(key: string): { readonly value: Value | null } | undefined {
    const absent = missingKeys.get(key);
    if (absent && isWithin(missing.freshMs, absent)) return { value: null };
    const entry = values.get(key);
    return entry && !entry.isInvalidated && isWithin(freshMs, entry) ? entry : undefined;
  }

  async function loadAndKeep(key: string): Promise<Value | null> {
    const loadedAtMs = clock.now();
    const before = invalidations;
    const value = await load(key);
    const isInvalidated = invalidations !== before;
    if (value === null) {
      if (isInvalidated) return null;
      missingKeys.set(key, { loadedAtMs });
      values.delete(key);
    } else if (!isInvalidated || values.peek(key)?.isInvalidated !== false) {
      values.set(key, { value, loadedAtMs, isInvalidated });
    }
    return value;
  }

  function loadOnce(key: string): Promise<Value | null> {
    const running = loads.get(key);
    if (running !== undefined) return running;
    const started = loadAndKeep(key).finally(() => {
      if (loads.get(key) === started) loads.delete(key);
    });
    loads.set(key, started);
    return started;
  }

  return {
    async get(key) {
      const fresh = freshEntry(key);
      return fresh ? fresh.value : loadOnce(key);
    },
    isFresh: (key) => freshEntry(key) !== undefined,
    peek: (key) => values.peek(key),
    invalidate(isAffected) {
      invalidations += 1;
      loads.clear();
      missingKeys.clear();
      for (const [key, entry] of values.entries()) {
        if (isAffected(entry.value, key)) entry.isInvalidated = true;
      }
    },
  };
}
