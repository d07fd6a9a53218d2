import type { ProjectId, RefreshId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';

export interface ReadRefreshDeps {
  readonly collector: { findRefresh(refreshId: RefreshId): Promise<RefreshView | null> };
}

/**
 * A refresh of the Project; null when there is none. A refresh of another Project and a refused
 * attempt must be indistinguishable from an unknown id.
 */
export async function readRefresh(
  deps: ReadRefreshDeps,
  projectId: ProjectId,
  refreshId: RefreshId,
): Promise<RefreshView | null> {
  const view = await deps.collector.findRefresh(refreshId);
  return view?.project_id === projectId && view.decision !== 'refused' ? view : null;
}
