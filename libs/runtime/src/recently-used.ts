import { LRUCache } from 'lru-cache';

export type RecentlyUsed<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/**
 * A map that drops what was not used for longest. Its memory follows its entries: by `max` alone, a
 * cache takes a megabyte per 50,000 entries that it might have.
 */
export function createRecentlyUsed<Key extends {}, Value extends {}>(
  entriesMax: number,
  options: { readonly ttl?: number } = {},
): RecentlyUsed<Key, Value> {
  return new LRUCache<Key, Value>({ ...options, maxSize: entriesMax, sizeCalculation: () => 1 });
}
