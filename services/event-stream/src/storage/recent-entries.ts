import type { ProjectId } from '@inventory/contracts/ids';
import { LRUCache } from 'lru-cache';

interface Placed {
  readonly projectId: ProjectId;
  readonly position: number;
}

/** The latest entries that this replica has appended, of each Project without a gap. */
export interface RecentEntries<Entry extends Placed> {
  add(entry: Entry): void;
  /** Those after a position, ascending; empty where the next one is not among them. */
  after(projectId: ProjectId, position: number): readonly Entry[];
}

/** In memory, at most half a million. */
const projectsMax = 5_000;
const entriesMax = 100;

export function createRecentEntries<Entry extends Placed>(): RecentEntries<Entry> {
  const ofProjects = new LRUCache<ProjectId, Entry[]>({ max: projectsMax });

  return {
    add(entry) {
      const known = ofProjects.get(entry.projectId) ?? [];
      const isNext = known.at(-1)?.position === entry.position - 1;
      const kept = isNext ? known.slice(1 - entriesMax) : [];
      ofProjects.set(entry.projectId, [...kept, entry]);
    },
    after(projectId, position) {
      const known = ofProjects.get(projectId) ?? [];
      const from = known.findIndex((entry) => entry.position === position + 1);
      return from < 0 ? [] : known.slice(from);
    },
  };
}
