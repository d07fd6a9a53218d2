import type { StoredRefresh } from './refresh-mapping.ts';

/**
 * The refreshes this replica wrote or read last. What is recalled may be out of date: whoever acts
 * on it writes on condition of its version, and reads again when that fails.
 */
export interface RecentRefreshes {
  recall(id: string): StoredRefresh | null;
  remember(stored: StoredRefresh): void;
  forget(id: string): void;
}

const rememberedMax = 5_000;

export function createRecentRefreshes(): RecentRefreshes {
  const recent = new Map<string, StoredRefresh>();
  return {
    recall: (id) => recent.get(id) ?? null,
    remember(stored) {
      const { id } = stored.refresh;
      recent.delete(id);
      recent.set(id, stored);
      const [oldest] = recent.keys();
      if (recent.size > rememberedMax && oldest !== undefined) recent.delete(oldest);
    },
    forget: (id) => void recent.delete(id),
  };
}
